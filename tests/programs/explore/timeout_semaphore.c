/*
 * check-name: a semaphore and a mutex with a time limit: either may time out
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert both
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int got;

static void *post(void *arg)
{
	pthread_mutex_lock(&m);
	sem_post(&s);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	struct timespec until;
	pthread_t t;

	sem_init(&s, 0, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	pthread_create(&t, NULL, post, NULL);
	if (!pthread_mutex_timedlock(&m, &until)) {
		got++;
		pthread_mutex_unlock(&m);
	}
	if (!sem_timedwait(&s, &until))
		got++;
	pthread_join(t, NULL);
#ifdef CORRECT
	assert(got <= 2);
#else
	assert(got != 0); /* BUG: both */
#endif
	return 0;
}
