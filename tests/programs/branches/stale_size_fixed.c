/*
 * check-name: the last element is taken of a list while its lock is held
 * check-command: heddle branches -- $exe
 * check-branch: unclear some
 * check-branch: not last
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int list[2] = {3, 4}, size = 1;
static volatile int got;

static void *taker(void *arg)
{
	pthread_mutex_lock(&lock);
	if (size > 0) { /* BRANCH: some */
		got = list[size - 1]; /* BRANCH: last */
		size = size - 1;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, taker, NULL);
	natural(1);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
