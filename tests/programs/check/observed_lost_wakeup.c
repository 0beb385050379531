/*
 * check-name: the recorded run waits for a signal that came before
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: lost wake-up
 * check-finds: lost-wakeup now
 * check-allows: hang
 * check-natural: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
	usleep(60000);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&cond, &lock); /* BUG: now */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
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
	return 0;
}
