/*
 * check-name: an assertion that fails in the recorded run already
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert now
 * check-allows: atomicity 'counter'
 * check-natural: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *arg)
{
	int seen = atomic_load(&counter);

	usleep(60000);
	atomic_store(&counter, seen + 1);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(counter == 2); /* BUG: now */
	return 0;
}
