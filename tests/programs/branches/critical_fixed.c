/*
 * check-name: critical: both sides wait for their turn
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
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
	return arg;
}

static void *second(void *arg)
{
	while (turn != 1) /* BRANCH: wait */
		;
	region();
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
