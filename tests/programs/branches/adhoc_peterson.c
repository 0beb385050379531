/*
 * check-name: Peterson's lock: two flags and whose turn it is
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 * check-branch: not sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int wants[2], turn;
static int sum;

static void *worker(void *arg)
{
	int me = (int)(long)arg, you = 1 - me;

	atomic_store(&wants[me], 1);
	atomic_store(&turn, you);
	while (atomic_load(&wants[you]) && atomic_load(&turn) == you) /* BRANCH: wait */
		sched_yield();
	sum++;
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, (void *)0);
	natural(1);
	pthread_create(&t2, NULL, worker, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (sum != 2) /* BRANCH: sum */
		abort();
	return 0;
}
