/*
 * check-name: two locks in opposite orders, the gate closed too early by one of the two
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&gate);
	forced(1);
	pthread_mutex_lock(&b); /* BUG: order */
	shared++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&b);
	forced(1);
	pthread_mutex_lock(&a); /* BUG: order */
	shared++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&gate);
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
