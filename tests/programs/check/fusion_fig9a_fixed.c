/*
 * check-name: Fusion, Fig. 9 a: the value keeps the other write away
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
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
	a = atomic_load(&x);
	forced(2);
	atomic_store(&x, a + 1);
	heddle_atomic_end();
	return arg;
}

static void *second(void *arg)
{
	int b;

	forced(1);
	b = atomic_load(&x);
	if (b > 0)
		atomic_store(&x, 3);
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
