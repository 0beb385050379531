/*
 * check-name: a ticket lock
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 * check-branch: not sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int next_ticket, serving;
static int sum;

static void *worker(void *arg)
{
	int mine = atomic_fetch_add(&next_ticket, 1);

	while (atomic_load(&serving) != mine) /* BRANCH: wait */
		sched_yield();
	sum++;
	atomic_store(&serving, mine + 1);
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
