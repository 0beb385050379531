/*
 * check-name: a wait for a signal that may have come before
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: lost wake-up
 * check-finds: lost-wakeup wait
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int value;

static void *waiter(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&cond, &lock); /* BUG: wait */
	value++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *setter(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	value = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, waiter, NULL);
	pthread_create(&t2, NULL, setter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
