/*
 * check-name: a result is looked at after a join
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static int result;

static void *worker(void *arg)
{
	forced(1);
	result = 17;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	pthread_join(t, NULL);
	assert(result == 17);
	return 0;
}
