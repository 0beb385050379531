/*
 * check-name: a flag is waited for with sched_yield in the loop, in a function of its own
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>

static volatile int ready;

static void await(volatile int *flag)
{
	while (!*flag) /* BRANCH: wait */
		sched_yield();
}

static void *giver(void *arg)
{
	ready = 1;
	return arg;
}

static void *taker(void *arg)
{
	await(&ready);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, giver, NULL);
	natural(1);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
