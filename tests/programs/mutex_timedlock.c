/*
 * check-name: timed locking: gets a mutex that comes free, gives up on one that does not
 * check-seeds: 100
 * check-output:
 * held: ETIMEDOUT after its time
 * held, other clock: ETIMEDOUT after its time
 * wrong nanoseconds: EINVAL
 * already past: ETIMEDOUT
 * free, already past: 0
 * released in time: 0
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked, release;

static struct timespec after(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void say(const char *what, int err, clockid_t clock, const struct timespec *at)
{
	struct timespec now;

	clock_gettime(clock, &now);
	printf("%s: %s%s\n", what, err == 0 ? "0" : err == ETIMEDOUT ? "ETIMEDOUT" :
		err == EINVAL ? "EINVAL" : "something else",
		!at ? "" : now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec &&
		now.tv_nsec >= at->tv_nsec) ? " after its time" : " too early");
}

static void *hold(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	sem_post(&locked);
	sem_wait(&release);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct timespec at, wrong = {0, 1000000000}, past = {0, 0};
	pthread_t t;

	sem_init(&locked, 0, 0);
	sem_init(&release, 0, 0);
	pthread_create(&t, NULL, hold, NULL);
	sem_wait(&locked);
	at = after(CLOCK_REALTIME, 20);
	say("held", pthread_mutex_timedlock(&lock, &at), CLOCK_REALTIME, &at);
	at = after(CLOCK_MONOTONIC, 20);
	say("held, other clock", pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &at),
		CLOCK_MONOTONIC, &at);
	say("wrong nanoseconds", pthread_mutex_timedlock(&lock, &wrong), CLOCK_REALTIME, NULL);
	say("already past", pthread_mutex_timedlock(&lock, &past), CLOCK_REALTIME, NULL);
	sem_post(&release);
	pthread_join(t, NULL);
	say("free, already past", pthread_mutex_timedlock(&lock, &past), CLOCK_REALTIME, NULL);
	pthread_mutex_unlock(&lock);

	sem_post(&release);
	pthread_create(&t, NULL, hold, NULL);
	sem_wait(&locked);
	at = after(CLOCK_REALTIME, 60000);
	say("released in time", pthread_mutex_timedlock(&lock, &at), CLOCK_REALTIME, NULL);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
