/*
 * check-name: two phases with a barrier between them
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_barrier_t between;
static int cell[2];

static void *worker(void *arg)
{
	int i = (int)(intptr_t)arg;

	forced(i);
	cell[i] = i + 1;
	pthread_barrier_wait(&between);
	assert(cell[1 - i] == 2 - i);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_barrier_init(&between, NULL, 2);
	pthread_create(&t1, NULL, worker, (void *)0);
	pthread_create(&t2, NULL, worker, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_barrier_destroy(&between);
	return 0;
}
