/*
 * check-name: the last element is taken of a list that was not empty a moment ago
 * check-command: heddle branches -- $exe
 * check-branch: bug some
 * check-branch: may last
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int list[2] = {3, 4}, size = 1;
static volatile int got;

static void *taker(void *arg)
{
	if (size > 0) { /* BRANCH: some */
		got = list[size - 1]; /* BRANCH: last */
		size = size - 1;
	}
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
