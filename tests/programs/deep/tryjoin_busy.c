/*
 * check-name: a thread that still runs is not joined, and its result is used all the same
 * check-command: heddle check --deep -- $exe
 * check-finds: assert result
 */
#define _GNU_SOURCE
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int result;

static void *compute(void *arg)
{
	atomic_store(&result, 7);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, compute, NULL);
	natural(2);
	if (pthread_tryjoin_np(t, NULL) != 0) {
		assert(atomic_load(&result) == 7); /* BUG: result */
		pthread_join(t, NULL);
	}
	return 0;
}
