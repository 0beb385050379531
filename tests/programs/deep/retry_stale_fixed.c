/*
 * check-name: when compare-and-swap fails, the second attempt is an addition
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *arg)
{
	int old = atomic_load(&counter);

	if (!atomic_compare_exchange_strong(&counter, &old, old + 1))
		atomic_fetch_add(&counter, 1);
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
	assert(atomic_load(&counter) == 2);
	return 0;
}
