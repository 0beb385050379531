/*
 * check-name: a job comes in after the queue was drained for shutdown
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert lost
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed, pending, drained;

static void *submitter(void *arg)
{
	int open;

	pthread_mutex_lock(&lock);
	open = !closed;
	pthread_mutex_unlock(&lock);
	forced(2);
	if (open) {
		pthread_mutex_lock(&lock);
		pending++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *closer(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	closed = 1;
	drained = pending;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, submitter, NULL);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(drained == pending); /* BUG: lost */
	return 0;
}
