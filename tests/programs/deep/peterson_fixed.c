/*
 * check-name: Peterson's lock
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, sum;

static void *worker(void *arg)
{
	int me = (int)(long)arg, v;

	atomic_store(&wants[me], 1);
	atomic_store(&turn, 1 - me);
	while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
		;
	v = atomic_load(&sum);
	atomic_store(&sum, v + 1);
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
	assert(sum == 2);
	return 0;
}
