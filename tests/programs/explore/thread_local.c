/*
 * check-name: a variable of each thread, with a symbolic value
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert own
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifdef CORRECT
static _Thread_local int own;
#else
static int own;
#endif
static unsigned char c[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	int i = (int)(long)arg;

	own = c[i];
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	assert(own == c[i]); /* BUG: own */
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, c, 2) != 2)
		return 1;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
