/*
 * check-name: the second decision follows from the first: whoever gets there has the same answer
 * check-command: heddle branches -- $exe
 * check-branch: unclear first
 * check-branch: not second
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int value, high, odd;

static void *looker(void *arg)
{
	int n = value;

	if (n == 0) { /* BRANCH: first */
		high = 1;
		if (n > 3) /* BRANCH: second */
			odd = 1;
	}
	return arg;
}

static void *writer(void *arg)
{
	value = 5;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, looker, NULL);
	natural(1);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
