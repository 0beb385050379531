/*
 * check-name: the flag is set and signalled without the lock, between check and wait
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: lost wake-up
 * check-finds: lost-wakeup wait
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!atomic_load(&ready)) {
		forced(2);
		pthread_cond_wait(&cond, &lock); /* BUG: wait */
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *setter(void *arg)
{
	natural(1);
	forced(1);
	atomic_store(&ready, 1);
	pthread_cond_signal(&cond);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, waiter, NULL);
	pthread_create(&t2, NULL, setter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
