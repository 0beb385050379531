/*
 * check-name: a timed wait may end before the thread that it waits for has run
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert late
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	struct timespec until;
	pthread_t t;
	int r = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3600;
	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&m);
	while (!ready && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&c, &m, &until);
#ifdef CORRECT
	assert(ready || r == ETIMEDOUT);
#else
	assert(ready); /* BUG: late */
#endif
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
