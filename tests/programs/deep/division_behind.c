/*
 * check-name: the mean is only computed when there is data, and the number of data comes last
 * check-command: heddle check --deep -- $exe
 * check-finds: division mean
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum, count;
static volatile int mean;

static void *adder(void *arg)
{
	natural(1);
	atomic_fetch_add(&sum, 10);
	atomic_fetch_add(&count, 1);
	return arg;
}

static void *reporter(void *arg)
{
	int s = atomic_load(&sum);

	if (s > 0)
		mean = s / atomic_load(&count); /* BUG: mean */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, adder, NULL);
	pthread_create(&t2, NULL, reporter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
