/*
 * check-name: Peterson's algorithm keeps two threads apart without a lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int counter;

static void *worker(void *arg)
{
	int me = (int)(intptr_t)arg, other = 1 - me;

	atomic_store(&wants[me], 1);
	forced(1);
	atomic_store(&turn, other);
	while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
		sched_yield();
	counter++;
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
	return counter != 2;
}
