/*
 * check-name: what join returns: values, pthread_exit from a nested call, tryjoin, timedjoin
 * check-seeds: 100
 * check-output:
 * returned 42, exited 43, heap 'forty-four'
 * tryjoin of a running thread: EBUSY
 * timedjoin of a running thread: ETIMEDOUT
 * timedjoin of one that ends: 0
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sem_t go;

static void *plain(void *arg)
{
	return (void *)((intptr_t)arg + 1);
}

static __attribute__((noinline)) void leave_with(void *value)
{
	pthread_exit(value);
}

static void *exiting(void *arg)
{
	leave_with(arg);
	return NULL;
}

static void *heap(void *arg)
{
	char *s = malloc(16);

	return strcpy(s, arg);
}

static void *wait_for_go(void *arg)
{
	sem_wait(&go);
	return arg;
}

static struct timespec after(long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static const char *name(int err)
{
	return err == 0 ? "0" : err == EBUSY ? "EBUSY" : err == ETIMEDOUT ? "ETIMEDOUT" :
		"something else";
}

int main(void)
{
	pthread_t a, b, c, d;
	void *ra, *rb, *rc;
	struct timespec at;

	sem_init(&go, 0, 0);
	pthread_create(&a, NULL, plain, (void *)41);
	pthread_create(&b, NULL, exiting, (void *)43);
	pthread_create(&c, NULL, heap, "forty-four");
	pthread_create(&d, NULL, wait_for_go, NULL);
	pthread_join(c, &rc);
	pthread_join(b, &rb);
	pthread_join(a, &ra);
	printf("returned %d, exited %d, heap '%s'\n", (int)(intptr_t)ra, (int)(intptr_t)rb,
		(char *)rc);
	free(rc);
	printf("tryjoin of a running thread: %s\n", name(pthread_tryjoin_np(d, NULL)));
	at = after(10);
	printf("timedjoin of a running thread: %s\n", name(pthread_timedjoin_np(d, NULL, &at)));
	sem_post(&go);
	at = after(60000);
	printf("timedjoin of one that ends: %s\n", name(pthread_timedjoin_np(d, NULL, &at)));
	return 0;
}
