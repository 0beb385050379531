/*
 * check-name: one signal for each of two waiters, who may not all be waiting
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: lost wake-up
 * check-finds: lost-wakeup wait
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int gone;

static void *runner(void *arg)
{
	if (arg)
		forced(2);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&go, &lock); /* BUG: wait */
	gone++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, runner, NULL);
	pthread_create(&t2, NULL, runner, &gone);
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&go);
	pthread_cond_signal(&go);
	pthread_mutex_unlock(&lock);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return gone != 2;
}
