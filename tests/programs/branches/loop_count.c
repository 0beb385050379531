/*
 * check-name: how often a loop runs depends on a bound that another thread lowers
 * check-command: heddle branches -- $exe
 * check-branch: unclear bound
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int bound = 3, rounds;

static void *worker(void *arg)
{
	for (int i = 0; i < bound; i++) /* BRANCH: bound */
		rounds = rounds + 1;
	return arg;
}

static void *lowerer(void *arg)
{
	bound = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, lowerer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
