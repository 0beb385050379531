/*
 * check-name: the flag says ready before the data is
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-output-contains: data race on 'data'
 * check-finds: assert half
 * check-finds: race data
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *producer(void *arg)
{
	atomic_store(&ready, 1);
	forced(2);
	data = 42; /* BUG: data */
	return arg;
}

static void *consumer(void *arg)
{
	natural(1);
	forced(1);
	if (atomic_load(&ready))
		assert(data == 42); /* BUG: half data */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
