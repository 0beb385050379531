/*
 * check-name: a mutex is destroyed when its user ought to be done
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: destroyed while in use
 * check-finds: destroy in_use
 * check-allows: destroy
 * check-force: exit 1
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
	busy = pthread_mutex_destroy(&lock); /* BUG: in_use */
	pthread_join(t, NULL);
	return busy != 0;
}
