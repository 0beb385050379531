/*
 * check-name: Tame, Fig. 7: an index that another thread changes decides which element is set
 * check-command: heddle branches -- $exe
 * check-branch: unclear index
 * check-branch-kind: array index index
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int x;
static volatile int a[2];
static volatile int seen;

static void *first(void *arg)
{
	x = 0;
	a[x] = 1; /* BRANCH: index */
	return arg;
}

static void *second(void *arg)
{
	x = 1;
	if (a[1] > 0)
		seen = 1;
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
	return 0;
}
