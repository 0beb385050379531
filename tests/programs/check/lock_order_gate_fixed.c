/*
 * check-name: two locks in opposite orders, but never without a third one
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void both(pthread_mutex_t *m, pthread_mutex_t *n)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(m);
	forced(1);
	pthread_mutex_lock(n);
	shared++;
	pthread_mutex_unlock(n);
	pthread_mutex_unlock(m);
	pthread_mutex_unlock(&gate);
}

static void *first(void *arg)
{
	both(&a, &b);
	return arg;
}

static void *second(void *arg)
{
	both(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return shared != 2;
}
