/*
 * check-name: a lock that is only tried
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert got
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static unsigned char c;

static void *other(void *arg)
{
	pthread_mutex_lock(&m);
	shared = c;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;
	int got;

	if (read(0, &c, 1) != 1)
		return 1;
	pthread_create(&t, NULL, other, NULL);
	got = pthread_mutex_trylock(&m) == 0;
	if (got)
		pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
#ifdef CORRECT
	assert(shared == c);
#else
	assert(got || shared != 9); /* BUG: got */
#endif
	return 0;
}
