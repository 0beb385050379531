/*
 * check-name: an atomic counter that is loaded and stored, not added to
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert sum
 * check-allows: atomicity 'counter'
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *arg)
{
	int seen = atomic_load(&counter);

	forced(1);
	atomic_store(&counter, seen + 1);
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
	assert(counter == 2); /* BUG: sum */
	return 0;
}
