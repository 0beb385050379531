/*
 * check-name: robust mutexes: the next owner is told, repairs the data, or gives the mutex up
 * check-seeds: 100
 * check-output:
 * next owner: EOWNERDEAD
 * after it is consistent: 0
 * given up: ENOTRECOVERABLE
 * a waiter is told: EOWNERDEAD
 * check-output-end
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static pthread_barrier_t locked;

static const char *name(int err)
{
	return err == 0 ? "0" : err == EOWNERDEAD ? "EOWNERDEAD" :
		err == ENOTRECOVERABLE ? "ENOTRECOVERABLE" : "something else";
}

static void *die_with_it(void *arg)
{
	pthread_mutex_lock(&lock);
	if (arg)
		pthread_barrier_wait(&locked);
	return NULL;
}

static void in_thread(void *(*run)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
}

static void make(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

int main(void)
{
	pthread_t t;

	make();
	in_thread(die_with_it);
	printf("next owner: %s\n", name(pthread_mutex_lock(&lock)));
	pthread_mutex_consistent(&lock);
	pthread_mutex_unlock(&lock);
	printf("after it is consistent: %s\n", name(pthread_mutex_lock(&lock)));
	pthread_mutex_unlock(&lock);
	in_thread(die_with_it);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	printf("given up: %s\n", name(pthread_mutex_lock(&lock)));
	pthread_mutex_destroy(&lock);

	make();
	pthread_barrier_init(&locked, NULL, 2);
	pthread_create(&t, NULL, die_with_it, &locked);
	pthread_barrier_wait(&locked);
	printf("a waiter is told: %s\n", name(pthread_mutex_lock(&lock)));
	pthread_mutex_consistent(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}
