/*
 * check-name: all threads have the same lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long total;

static void *income(void *arg)
{
	long seen;

	pthread_mutex_lock(&lock);
	seen = total;
	forced(2);
	total = seen + 100;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *expense(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	total -= 40;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, income, NULL);
	pthread_create(&t2, NULL, expense, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return total != 60;
}
