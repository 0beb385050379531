/*
 * check-name: a value is read twice where it must be the same, in a marked transaction
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: atomicity violation
 * check-finds: atomicity rate
 * check-force: exit 1
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int rate = 2;
static int gross, tax;

static void *bill(void *arg)
{
	heddle_atomic_begin();
	gross = 100 * atomic_load(&rate); /* BUG: rate */
	forced(2);
	tax = 10 * atomic_load(&rate); /* BUG: rate */
	heddle_atomic_end();
	return arg;
}

static void *change(void *arg)
{
	natural(1);
	forced(1);
	atomic_store(&rate, 3); /* BUG: rate */
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
