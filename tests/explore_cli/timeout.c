/* The main thread waits a second for a thread that has all the time of the world. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	struct timespec end;
	pthread_t t;
	int r = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	pthread_create(&t, NULL, worker, NULL);
	pthread_mutex_lock(&m);
	while (!ready && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&c, &m, &end);
	assert(ready);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
