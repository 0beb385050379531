/*
 * check-name: a divisor that another thread sets to zero for a moment
 * check-command: heddle branches -- $exe
 * check-branch: bug rate
 * check-branch-kind: divisor rate
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int clients = 2;
static volatile int rate;

static void *meter(void *arg)
{
	rate = 100 / clients; /* BRANCH: rate */
	return arg;
}

static void *reset(void *arg)
{
	clients = 0;
	clients = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, meter, NULL);
	natural(1);
	pthread_create(&t2, NULL, reset, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
