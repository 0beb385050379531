/*
 * check-name: a barrier for two that four threads use: whoever meets goes on
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert all
 * check-known-to-fail: who meets whom at a barrier is taken as recorded (barrier_count_said.c)
 * check-force: SIGABRT
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

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t[i], NULL, worker, i ? &barrier : NULL);
		natural(1);
	}
	pthread_barrier_wait(&barrier);
	assert(arrived == 3); /* BUG: all */
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}
