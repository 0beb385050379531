/*
 * check-name: semaphores: trywait, timedwait, clockwait, getvalue, limits
 * check-seeds: 50
 * check-output:
 * init too large: EINVAL
 * trywait at 0: EAGAIN
 * timedwait: ETIMEDOUT
 * clockwait: ETIMEDOUT
 * wrong nanoseconds: EINVAL
 * posted in time: 0
 * trywait at 1: 0
 * post at the limit: EOVERFLOW
 * value 2147483647
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t sem;

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

static void say(const char *what, int result)
{
	printf("%s: %s\n", what, result == 0 ? "0" : errno == EAGAIN ? "EAGAIN" :
		errno == ETIMEDOUT ? "ETIMEDOUT" : errno == EINVAL ? "EINVAL" :
		errno == EOVERFLOW ? "EOVERFLOW" : "something else");
}

static void *post(void *arg)
{
	(void)arg;
	sem_post(&sem);
	return NULL;
}

int main(void)
{
	struct timespec at, wrong = {0, -1};
	pthread_t t;
	int value;

	say("init too large", sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1));
	sem_init(&sem, 0, 0);
	say("trywait at 0", sem_trywait(&sem));
	at = after(CLOCK_REALTIME, 15);
	say("timedwait", sem_timedwait(&sem, &at));
	at = after(CLOCK_MONOTONIC, 15);
	say("clockwait", sem_clockwait(&sem, CLOCK_MONOTONIC, &at));
	say("wrong nanoseconds", sem_timedwait(&sem, &wrong));
	pthread_create(&t, NULL, post, NULL);
	at = after(CLOCK_REALTIME, 60000);
	say("posted in time", sem_timedwait(&sem, &at));
	pthread_join(t, NULL);
	sem_post(&sem);
	say("trywait at 1", sem_trywait(&sem));
	sem_destroy(&sem);
	sem_init(&sem, 0, SEM_VALUE_MAX);
	say("post at the limit", sem_post(&sem));
	sem_getvalue(&sem, &value);
	printf("value %d\n", value);
	sem_destroy(&sem);
	return 0;
}
