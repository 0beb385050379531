/*
 * check-name: a mutex is unlocked as often as locked
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *careless(void *arg)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *careful(void *arg)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, careless, NULL);
	natural(1);
	pthread_create(&t2, NULL, careful, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
