/*
 * check-name: a thread asks for a variable of the environment that another one sets
 * check-command: heddle check --deep -- $exe
 * check-finds: assert mode
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *configure(void *arg)
{
	pthread_mutex_lock(&lock);
	setenv("WORK_MODE", "fast", 1);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	assert(getenv("WORK_MODE")); /* BUG: mode */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, configure, NULL);
	natural(1);
	pthread_create(&u, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
