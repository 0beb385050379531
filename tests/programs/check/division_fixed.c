/*
 * check-name: an average over a count that is checked where it is used
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum = 30, count = 3;
static int average;

static void *reporter(void *arg)
{
	pthread_mutex_lock(&lock);
	if (count > 0) {
		forced(2);
		average = sum / count;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *resetter(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	sum = 0;
	count = 0;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reporter, NULL);
	pthread_create(&t2, NULL, resetter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return average < 0;
}
