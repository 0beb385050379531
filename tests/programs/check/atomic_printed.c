/*
 * check-name: a lost update of an atomic counter that only the output tells
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: the outcome differs from every
 * check-finds: atomicity lost
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter;

static void *worker(void *arg)
{
	int seen = atomic_load(&counter); /* BUG: lost */

	forced(1);
	atomic_store(&counter, seen + 1); /* BUG: lost */
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
	printf("%d\n", atomic_load(&counter));
	return atomic_load(&counter) != 2;
}
