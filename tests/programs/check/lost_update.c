/*
 * check-name: lost update on an unlocked counter
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'counter'
 * check-output-contains: assertion failure
 * check-finds: race counter
 * check-finds: assert sum
 * check-allows: race 'counter'
 * check-allows: atomicity 'counter'
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static int counter;

static void *worker(void *arg)
{
	int seen = counter; /* BUG: counter */

	forced(1);
	counter = seen + 1; /* BUG: counter */
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
