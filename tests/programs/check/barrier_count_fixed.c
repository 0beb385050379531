/*
 * check-name: a barrier for the four threads that use it
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int arrived;

static void *worker(void *arg)
{
	if (arg)
		forced(2);
	atomic_fetch_add(&arrived, 1);
	pthread_barrier_wait(&barrier);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t[i], NULL, worker, i ? &barrier : NULL);
		natural(1);
	}
	pthread_barrier_wait(&barrier);
	assert(arrived == 3);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}
