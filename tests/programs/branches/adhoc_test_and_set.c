/*
 * check-name: a lock made of test-and-set
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 * check-branch: not sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_flag locked = ATOMIC_FLAG_INIT;
static int sum;

static void *worker(void *arg)
{
	while (atomic_flag_test_and_set(&locked)) /* BRANCH: wait */
		;
	sum++;
	atomic_flag_clear(&locked);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (sum != 2) /* BRANCH: sum */
		abort();
	return 0;
}
