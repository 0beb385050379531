/*
 * check-name: a value is read once in a marked transaction
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int rate = 2;
static int gross, tax;

static void *bill(void *arg)
{
	int r;

	heddle_atomic_begin();
	r = atomic_load(&rate);
	gross = 100 * r;
	forced(2);
	tax = 10 * r;
	heddle_atomic_end();
	return arg;
}

static void *change(void *arg)
{
	natural(1);
	forced(1);
	atomic_store(&rate, 3);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, bill, NULL);
	pthread_create(&t2, NULL, change, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return gross != 10 * tax;
}
