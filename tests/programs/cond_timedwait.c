/*
 * check-name: timed waits on condition variables, three clocks, and one that is signalled
 * check-seeds: 100
 * check-output:
 * realtime: ETIMEDOUT, mutex held again
 * monotonic attribute: ETIMEDOUT, mutex held again
 * clockwait: ETIMEDOUT, mutex held again
 * already past: ETIMEDOUT, mutex held again
 * wrong nanoseconds: EINVAL, mutex held again
 * signalled: 0, mutex held again
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, monotonic;
static int ready;

static struct timespec after(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *try(void *arg)
{
	(void)arg;
	if (pthread_mutex_trylock(&lock) == EBUSY)
		return "held";
	pthread_mutex_unlock(&lock);
	return "not held";
}

static void say(const char *what, int err)
{
	pthread_t t;
	void *held;

	pthread_create(&t, NULL, try, NULL);
	pthread_join(t, &held);
	printf("%s: %s, mutex %s again\n", what, err == 0 ? "0" : err == ETIMEDOUT ? "ETIMEDOUT" :
		err == EINVAL ? "EINVAL" : "something else", (const char *)held);
}

static void *signal_ready(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct timespec at, wrong = {0, 1000000000}, past = {0, 0};
	pthread_condattr_t attr;
	pthread_t t;
	int err = 0;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&monotonic, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_lock(&lock);
	at = after(CLOCK_REALTIME, 15);
	say("realtime", pthread_cond_timedwait(&cond, &lock, &at));
	at = after(CLOCK_MONOTONIC, 15);
	say("monotonic attribute", pthread_cond_timedwait(&monotonic, &lock, &at));
	at = after(CLOCK_MONOTONIC, 15);
	say("clockwait", pthread_cond_clockwait(&cond, &lock, CLOCK_MONOTONIC, &at));
	say("already past", pthread_cond_timedwait(&cond, &lock, &past));
	say("wrong nanoseconds", pthread_cond_timedwait(&cond, &lock, &wrong));
	pthread_create(&t, NULL, signal_ready, NULL);
	at = after(CLOCK_REALTIME, 60000);
	while (!ready && !err)
		err = pthread_cond_timedwait(&cond, &lock, &at);
	say("signalled", err);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	pthread_cond_destroy(&monotonic);
	return 0;
}
