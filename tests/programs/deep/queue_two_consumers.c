/*
 * check-name: a queue of one item and two consumers who look first and take later; both came too early
 * check-command: heddle check --deep -- $exe
 * check-finds: assert once
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;

static int look(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *producer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	count = count + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *consumer(void *arg)
{
	if (look() > 0) {
		pthread_mutex_lock(&lock);
		count = count - 1;
		assert(count >= 0); /* BUG: once */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_create(&t3, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
