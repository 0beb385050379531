/*
 * check-name: Fusion, Fig. 9 a: a model without data predicts what no run shows
 * check-command: heddle check --model=control -- $exe
 * check-exit: 3
 * check-output-contains: atomicity violation
 * check-predicts: atomicity x
 * check-allows: atomicity 'x'
 * check-force: no, it is none
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *first(void *arg)
{
	int a;

	heddle_atomic_begin();
	a = atomic_load(&x); /* BUG: x */
	atomic_store(&x, a + 1); /* BUG: x */
	heddle_atomic_end();
	return arg;
}

static void *second(void *arg)
{
	int b = atomic_load(&x);

	if (b > 0)
		atomic_store(&x, 3); /* BUG: x */
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
	return x == 0;
}
