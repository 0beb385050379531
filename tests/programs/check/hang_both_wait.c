/*
 * check-name: two threads announce themselves and wait for each other
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: hang other
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	atomic_store(&wants[me], 1);
	forced(2);
	while (atomic_load(&wants[1 - me])) /* BUG: other */
		sched_yield();
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, (void *)0);
	natural(1);
	pthread_create(&u, NULL, worker, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
