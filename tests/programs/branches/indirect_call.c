/*
 * check-name: which function is called depends on when the strategy was changed
 * check-command: heddle branches -- $exe
 * check-branch: unclear call
 * check-branch-kind: indirect call call
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static volatile int fast, slow;

static void by_index(void)
{
	fast = 1;
}

static void by_scan(void)
{
	slow = 1;
}

static void (*_Atomic strategy)(void) = by_scan;

static void *worker(void *arg)
{
	atomic_load(&strategy)(); /* BRANCH: call */
	return arg;
}

static void *tuner(void *arg)
{
	atomic_store(&strategy, by_index);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, tuner, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
