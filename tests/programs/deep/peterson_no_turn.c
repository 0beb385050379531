/*
 * check-name: Peterson's lock in which each thread gives the turn to itself last: both wait
 * check-command: heddle check --deep -- $exe
 * check-finds: hang both
 * check-allows: assert
 * check-allows: atomicity
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	atomic_store(&wants[me], 1);
	while (atomic_load(&wants[1 - me]) && atomic_load(&turn) != 2) /* BUG: both */
		;
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, (void *)0);
	natural(4);
	pthread_create(&u, NULL, worker, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
