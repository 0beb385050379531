/*
 * check-name: the first try to join finds the thread running; if it had ended, no poll is counted
 * check-command: heddle check --deep -- $exe
 * check-finds: assert polls
 */
#define _GNU_SOURCE
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int began, polls;

static void *compute(void *arg)
{
	natural(2);
	atomic_store(&began, 1);
	return (void *)((long)arg + 1);
}

int main(void)
{
	pthread_t t;
	void *result = NULL;

	pthread_create(&t, NULL, compute, (void *)6);
	if (pthread_tryjoin_np(t, &result) != 0) {
		atomic_fetch_add(&polls, 1);
		pthread_join(t, &result);
	}
	assert((long)result == 7);
	assert(atomic_load(&polls) == 1); /* BUG: polls */
	return 0;
}
