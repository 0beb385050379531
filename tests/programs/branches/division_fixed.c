/*
 * check-name: a divisor that is zero for a moment, but only in the lock region of its writer
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not rate
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int clients = 2;
static volatile int rate;

static void *meter(void *arg)
{
	pthread_mutex_lock(&lock);
	rate = 100 / clients; /* BRANCH: rate */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reset(void *arg)
{
	pthread_mutex_lock(&lock);
	clients = 0;
	clients = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, meter, NULL);
	natural(1);
	pthread_create(&t2, NULL, reset, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
