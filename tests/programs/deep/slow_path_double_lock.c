/*
 * check-name: when the cache is stale it is filled by a function that locks what is locked already
 * check-command: heddle check --deep -- $exe
 * check-finds: double-lock again
 * check-allows: deadlock
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int stale, value = 1;

static void fill(void)
{
	pthread_mutex_lock(&lock); /* BUG: again */
	value = value + 1;
	pthread_mutex_unlock(&lock);
}

static void *reader(void *arg)
{
	pthread_mutex_lock(&lock);
	if (stale)
		fill();
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *invalidator(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	stale = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	pthread_create(&t2, NULL, invalidator, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
