/*
 * check-name: a signal that comes before the wait
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: deadlock *
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;
static unsigned char command;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	if (command != 'q')
		done = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (read(0, &command, 1) != 1)
		return 1;
#ifdef CORRECT
	if (command == 'q')
		return 2;
#endif
	pthread_create(&t, NULL, worker, NULL);
	pthread_mutex_lock(&m);
	if (!done)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
