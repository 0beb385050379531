/*
 * check-name: the last element is taken of a list that was not empty a moment ago
 * check-command: heddle branches -- $exe
 * check-branch: bug some
 * check-branch: bug last
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static volatile int *list, size = 1, got;

static void *taker(void *arg)
{
	if (size > 0) /* BRANCH: some */
		got = list[size - 1]; /* BRANCH: last */
	return arg;
}

static void *clearer(void *arg)
{
	size = 0;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	list = calloc(4, sizeof *list);
	pthread_create(&t1, NULL, taker, NULL);
	natural(1);
	pthread_create(&t2, NULL, clearer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free((void *)list);
	return 0;
}
