/*
 * check-name: a timed wait ends, and the code takes that for "it has not happened"
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert happened
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tick = PTHREAD_COND_INITIALIZER;
static int answered;

static void *asker(void *arg)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	if (pthread_cond_timedwait(&tick, &lock, &until) == ETIMEDOUT)
		assert(!answered); /* BUG: happened */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *answerer(void *arg)
{
	natural(4);
	pthread_mutex_lock(&lock);
	answered = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, asker, NULL);
	pthread_create(&t2, NULL, answerer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return !answered;
}
