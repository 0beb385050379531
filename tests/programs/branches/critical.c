/*
 * check-name: critical: one side waits for its turn, the other only looks once whether it is its own
 * branch-adhoc: wait
 * branch-bug: turn
 * branch-bug: alone
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static volatile int turn;
static volatile int inside;

static void region(void)
{
	if (inside) /* BRANCH: alone */
		abort();
	inside = 1;
	inside = 0;
}

static void *first(void *arg)
{
	while (turn != 0) /* BRANCH: wait */
		;
	region();
	turn = 1;
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	if (turn != 1) /* BRANCH: turn */
		turn = 1;
	region();
	turn = 0;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
