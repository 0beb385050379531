/*
 * check-name: a thread is joined by who holds the lock that it still needs
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock join
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock); /* BUG: join */
	done++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	pthread_mutex_lock(&lock);
	pthread_join(t, NULL); /* BUG: join */
	done++;
	pthread_mutex_unlock(&lock);
	return done != 2;
}
