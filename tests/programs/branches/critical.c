/*
 * check-name: critical: one side waits for its turn, the other thinks that it must have it by now
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 * check-branch: bug turn
 * check-branch: not alone
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
	region();
	turn = 1;
	natural(2);
	if (turn != 0) /* BRANCH: turn */
		abort();
	region();
	return arg;
}

static void *second(void *arg)
{
	while (turn != 1) /* BRANCH: wait */
		;
	region();
	turn = 0;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
