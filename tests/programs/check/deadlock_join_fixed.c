/*
 * check-name: a thread is joined before the lock is taken that it needs
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	pthread_join(t, NULL);
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	return done != 2;
}
