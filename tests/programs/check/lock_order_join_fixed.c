/*
 * check-name: two locks in opposite orders, by a thread and by who joined it
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *worker(void *arg)
{
	pthread_mutex_lock(&a);
	forced(1);
	pthread_mutex_lock(&b);
	shared++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	shared++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return shared != 2;
}
