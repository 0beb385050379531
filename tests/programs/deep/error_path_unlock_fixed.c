/*
 * check-name: on the path for an empty list the lock is given back
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int length = 1;

static int take(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = length;
	if (n == 0) {
		pthread_mutex_unlock(&lock);
		return -1;
	}
	length = n - 1;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void *taker(void *arg)
{
	natural(1);
	take();
	return arg;
}

static void *adder(void *arg)
{
	pthread_mutex_lock(&lock);
	length = length + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, taker, NULL);
	pthread_create(&t2, NULL, adder, NULL);
	pthread_create(&t3, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
