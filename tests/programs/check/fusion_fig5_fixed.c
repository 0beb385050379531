/*
 * check-name: Fusion, Fig. 5, with a lock that makes the transaction one
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int seen;

static void *first(void *arg)
{
	int a;

	heddle_atomic_begin();
	pthread_mutex_lock(&lock);
	x = 0;
	forced(2);
	a = x + 1;
	if (a == 1)
		x = 2;
	pthread_mutex_unlock(&lock);
	heddle_atomic_end();
	seen = a;
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen != 1;
}
