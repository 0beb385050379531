/*
 * check-name: a job comes in only while the queue is seen to be open
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed, pending, drained;

static void *submitter(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!closed) {
		forced(2);
		pending++;
	}
	pthread_mutex_unlock(&lock);
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
	assert(drained == pending);
	return 0;
}
