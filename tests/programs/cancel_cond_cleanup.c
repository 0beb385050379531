/*
 * check-name: a thread cancelled in a condition wait runs its handlers with the mutex held
 * check-seeds: 100
 * check-output:
 * result PTHREAD_CANCELED
 * handlers in order: unlock, free, key
 * waiting thread was signalled as well: yes
 * mutex free: yes
 * check-output-end
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int waiting, wake;
static char order[64];

static void unlock(void *m)
{
	assert(pthread_mutex_unlock(m) == 0); /* errorcheck: so this thread held it */
	strcat(order, "unlock, ");
}

static void free_buffer(void *p)
{
	free(p);
	strcat(order, "free, ");
}

static void destroy_key(void *p)
{
	(void)p;
	strcat(order, "key");
}

static void *wait_for_never(void *arg)
{
	char *buffer = malloc(10);

	pthread_setspecific(key, &key);
	pthread_cleanup_push(free_buffer, buffer);
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	waiting++;
	pthread_cond_signal(&other);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(1);
	return arg;
}

static void *wait_for_wake(void *arg)
{
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_signal(&other);
	while (!wake)
		pthread_cond_wait(&never, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	void *result, *woken;

	pthread_key_create(&key, destroy_key);
	pthread_create(&t, NULL, wait_for_never, NULL);
	pthread_create(&u, NULL, wait_for_wake, "yes");
	pthread_mutex_lock(&lock);
	while (waiting < 2)
		pthread_cond_wait(&other, &lock);
	pthread_mutex_unlock(&lock);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("result %s\n", result == PTHREAD_CANCELED ? "PTHREAD_CANCELED" : "something else");
	printf("handlers in order: %s\n", order);
	pthread_mutex_lock(&lock);
	wake = 1;
	pthread_cond_signal(&never);
	pthread_mutex_unlock(&lock);
	pthread_join(u, &woken);
	printf("waiting thread was signalled as well: %s\n", (char *)woken);
	printf("mutex free: %s\n", pthread_mutex_trylock(&lock) == 0 ? "yes" : "no");
	return 0;
}
