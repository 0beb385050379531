/*
 * check-name: Fusion, Fig. 5: what comes between leads to a branch that was not taken
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: atomicity violation
 * check-finds: atomicity x
 * check-allows: atomicity
 * check-force: exit 1
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int seen;

static void *first(void *arg)
{
	int a;

	heddle_atomic_begin();
	atomic_store(&x, 0);
	forced(2);
	a = atomic_load(&x) + 1; /* BUG: x */
	if (a == 1)
		atomic_store(&x, 2);
	heddle_atomic_end();
	seen = a;
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	atomic_store(&x, 1); /* BUG: x */
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
	return seen != 1;
}
