/*
 * check-name: who has no work takes it from the other's end, and both may take the last piece
 * check-command: heddle check --deep -- $exe
 * check-finds: assert once
 * check-allows: atomicity
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int own = 1, others = 1, runs;

static void *owner(void *arg)
{
	if (atomic_load(&others) > 0) {
		atomic_store(&others, 0);
		atomic_fetch_add(&runs, 1);
	}
	return arg;
}

static void *thief(void *arg)
{
	natural(1);
	if (atomic_load(&own) > 0)
		atomic_store(&own, 0);
	if (atomic_load(&others) > 0) {
		atomic_store(&others, 0);
		atomic_fetch_add(&runs, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, owner, NULL);
	pthread_create(&t2, NULL, thief, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(atomic_load(&runs) == 1); /* BUG: once */
	return 0;
}
