/*
 * check-name: behind a wait for a flag, a second flag that the recorded run finds set is not always so
 * check-command: heddle check --deep -- $exe
 * check-finds: assert late
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready, extra, value;

static void *giver(void *arg)
{
	atomic_store(&ready, 1);
	atomic_store(&extra, 1);
	atomic_store(&value, 1);
	return arg;
}

static void *taker(void *arg)
{
	natural(1);
	while (!atomic_load(&ready))
		sched_yield();
	if (!atomic_load(&extra)) {
		int v = atomic_load(&value);

		assert(v); /* BUG: late */
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, giver, NULL);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
