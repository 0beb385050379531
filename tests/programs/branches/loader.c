/*
 * check-name: loader: a main program that polls a thread's end flag, and sorts of one array without a lock
 * branch-adhoc: end
 * branch-bug: sorted
 * branch-bug: swap
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile int array[2] = {2, 1};
static volatile int ends;

static void *sorter(void *arg)
{
	if (array[0] > array[1]) { /* BRANCH: swap */
		int t = array[0];

		array[0] = array[1];
		array[1] = t;
	}
	__atomic_fetch_add(&ends, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, sorter, NULL);
	natural(1);
	pthread_create(&t2, NULL, sorter, NULL);
	while (__atomic_load_n(&ends, __ATOMIC_SEQ_CST) != 2) /* BRANCH: end */
		sched_yield();
	if (array[0] > array[1]) /* BRANCH: sorted */
		abort();
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
