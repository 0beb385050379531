/*
 * check-name: a recursive lock taken again in a callback
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int total, parts;

static void add(int n)
{
	pthread_mutex_lock(&lock);
	total += n;
	parts++;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	add(1);
	forced(1);
	add(2);
	assert(total == 3 * parts / 2);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t1, t2;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_mutex_destroy(&lock);
	return total != 6;
}
