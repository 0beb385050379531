/*
 * check-name: when compare-and-swap fails, the second attempt adds to the old value
 * check-command: heddle check --deep -- $exe
 * check-finds: assert sum
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *arg)
{
	int old = atomic_load(&counter), seen = old;

	if (!atomic_compare_exchange_strong(&counter, &seen, old + 1))
		atomic_store(&counter, old + 1);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(atomic_load(&counter) == 2); /* BUG: sum */
	return 0;
}
