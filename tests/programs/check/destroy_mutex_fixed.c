/*
 * check-name: a mutex is destroyed when its user was joined
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	value++;
	forced(2);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;
	int busy;

	pthread_mutex_init(&lock, NULL);
	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	forced(1);
	pthread_join(t, NULL);
	busy = pthread_mutex_destroy(&lock);
	return busy != 0;
}
