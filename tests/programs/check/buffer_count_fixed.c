/*
 * check-name: two consumers look whether there is an item and take it in one region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count = 1;

static void *consumer(void *arg)
{
	pthread_mutex_lock(&lock);
	forced(1);
	if (count > 0) {
		count--;
		assert(count >= 0);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *producer(void *arg)
{
	natural(1);
	forced(3);
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, consumer, NULL);
	pthread_create(&t2, NULL, producer, NULL);
	natural(2);
	pthread_create(&t3, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
