/*
 * check-name: read-write locks: try, timed and error answers
 * check-seeds: 50
 * check-output:
 * read twice: 0 0
 * trywrlock while reading: EBUSY
 * timedwrlock while reading: ETIMEDOUT
 * other reads too: 0
 * wrlock again: EDEADLK
 * rdlock while writing: EDEADLK
 * tryrdlock while writing: EBUSY
 * other, while writing: tryrdlock EBUSY, timedrdlock ETIMEDOUT, clockwrlock ETIMEDOUT
 * wrong nanoseconds: EINVAL
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock;

static struct timespec after(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static const char *name(int err)
{
	return err == 0 ? "0" : err == EBUSY ? "EBUSY" : err == EDEADLK ? "EDEADLK" :
		err == ETIMEDOUT ? "ETIMEDOUT" : err == EINVAL ? "EINVAL" : "something else";
}

static void *read_too(void *arg)
{
	(void)arg;
	printf("other reads too: %s\n", name(pthread_rwlock_rdlock(&lock)));
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *try_all(void *arg)
{
	struct timespec at = after(CLOCK_REALTIME, 10), mono;

	(void)arg;
	printf("other, while writing: tryrdlock %s, ", name(pthread_rwlock_tryrdlock(&lock)));
	printf("timedrdlock %s, ", name(pthread_rwlock_timedrdlock(&lock, &at)));
	mono = after(CLOCK_MONOTONIC, 10);
	printf("clockwrlock %s\n", name(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &mono)));
	return NULL;
}

static void in_thread(void *(*run)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
}

int main(void)
{
	struct timespec at, wrong = {0, 1000000000};
	int a, b;

	pthread_rwlock_init(&lock, NULL);
	a = pthread_rwlock_rdlock(&lock);
	b = pthread_rwlock_tryrdlock(&lock);
	printf("read twice: %s %s\n", name(a), name(b));
	printf("trywrlock while reading: %s\n", name(pthread_rwlock_trywrlock(&lock)));
	at = after(CLOCK_REALTIME, 10);
	printf("timedwrlock while reading: %s\n", name(pthread_rwlock_timedwrlock(&lock, &at)));
	in_thread(read_too);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
	printf("wrlock again: %s\n", name(pthread_rwlock_wrlock(&lock)));
	printf("rdlock while writing: %s\n", name(pthread_rwlock_rdlock(&lock)));
	printf("tryrdlock while writing: %s\n", name(pthread_rwlock_tryrdlock(&lock)));
	in_thread(try_all);
	pthread_rwlock_unlock(&lock);
	printf("wrong nanoseconds: %s\n", name(pthread_rwlock_timedrdlock(&lock, &wrong)));
	pthread_rwlock_destroy(&lock);
	return 0;
}
