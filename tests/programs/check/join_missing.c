/*
 * check-name: a result is looked at after a while, not after a join
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'result'
 * check-output-contains: assertion failure
 * check-finds: race result
 * check-finds: assert early
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static int result;

static void *worker(void *arg)
{
	forced(1);
	result = 17; /* BUG: result */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	assert(result == 17); /* BUG: early result */
	pthread_join(t, NULL);
	return 0;
}
