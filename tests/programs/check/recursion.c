/*
 * check-name: a recursive lock is taken twice and given back once
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: mismatched recursion
 * check-finds: recursion left
 * check-allows: deadlock
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *careful(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *careless(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock); /* BUG: left */
	pthread_mutex_lock(&lock);
	value++;
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
	pthread_create(&t1, NULL, careful, NULL);
	pthread_create(&t2, NULL, careless, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
