/*
 * check-name: an average over a count that is reset between the check and the division
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: division by zero
 * check-finds: division average
 * check-allows: atomicity
 * check-force: SIGFPE
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum = 30, count = 3;
static int average;

static void *reporter(void *arg)
{
	int some;

	pthread_mutex_lock(&lock);
	some = count > 0;
	pthread_mutex_unlock(&lock);
	forced(2);
	if (some) {
		pthread_mutex_lock(&lock);
		average = sum / count; /* BUG: average */
		pthread_mutex_unlock(&lock);
	}
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
	return average != 10;
}
