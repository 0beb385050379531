/*
 * check-name: a flag is waited for by looking at it again and again
 * check-command: heddle branches -- $exe
 * check-branch: adhoc wait
 * check-branch: not data
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static volatile int flag;
static volatile int data;

static void *giver(void *arg)
{
	data = 7;
	flag = 1;
	return arg;
}

static void *taker(void *arg)
{
	while (!flag) /* BRANCH: wait */
		;
	if (data != 7) /* BRANCH: data */
		abort();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, giver, NULL);
	natural(1);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
