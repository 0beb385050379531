/*
 * check-name: the divisor is copied, looked at, and only then divided by
 * check-command: heddle branches -- $exe
 * check-branch: unclear some
 * check-branch: not rate
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int clients = 2;
static volatile int rate;

static void *meter(void *arg)
{
	int n = clients;

	if (n) /* BRANCH: some */
		rate = 100 / n; /* BRANCH: rate */
	return arg;
}

static void *reset(void *arg)
{
	clients = 0;
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
