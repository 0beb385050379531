/*
 * check-name: Fusion, Fig. 9 a, without the condition: another write between read and write
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

static void *first(void *arg)
{
	int a;

	heddle_atomic_begin();
	a = atomic_load(&x); /* BUG: x */
	forced(2);
	atomic_store(&x, a + 1); /* BUG: x */
	heddle_atomic_end();
	return arg;
}

static void *second(void *arg)
{
	forced(1);
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
	return x != 3;
}
