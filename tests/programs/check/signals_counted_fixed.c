/*
 * check-name: a broadcast to whoever waits, and a flag for those who come later
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int started, gone;

static void *runner(void *arg)
{
	if (arg)
		forced(2);
	pthread_mutex_lock(&lock);
	while (!started)
		pthread_cond_wait(&go, &lock);
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
	started = 1;
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return gone != 2;
}
