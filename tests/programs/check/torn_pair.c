/*
 * check-name: two values that belong together are set in two lock regions
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert torn
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int width = 1, height = 1;

static void *resizer(void *arg)
{
	pthread_mutex_lock(&lock);
	width = 2;
	pthread_mutex_unlock(&lock);
	forced(2);
	pthread_mutex_lock(&lock);
	height = 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *painter(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	assert(width == height); /* BUG: torn */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, resizer, NULL);
	pthread_create(&t2, NULL, painter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
