/*
 * check-name: a lock made of compare-and-swap
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 * check-branch: not sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int owner;
static int sum;

static void lock(int me)
{
	int nobody = 0;

	while (!atomic_compare_exchange_strong(&owner, &nobody, me)) { /* BRANCH: wait */
		nobody = 0;
		sched_yield();
	}
}

static void *worker(void *arg)
{
	lock((int)(long)arg);
	sum++;
	atomic_store(&owner, 0);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, (void *)1);
	natural(1);
	pthread_create(&t2, NULL, worker, (void *)2);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (sum != 2) /* BRANCH: sum */
		abort();
	return 0;
}
