/*
 * check-name: a timed wait ends, and the code looks again
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tick = PTHREAD_COND_INITIALIZER;
static int answered, given_up;

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
	while (!answered && !given_up)
		if (pthread_cond_timedwait(&tick, &lock, &until) == ETIMEDOUT)
			given_up = !answered;
	assert(answered != given_up);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *answerer(void *arg)
{
	natural(4);
	pthread_mutex_lock(&lock);
	if (!given_up)
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
	return answered == given_up;
}
