/*
 * check-name: Tame, Fig. 7: an index that another thread changes decides which element is set
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'x'
 * check-finds: race x
 * check-allows: race
 * check-allows: atomicity 'x'
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>

static volatile int x;
static volatile int a[2];
static int seen;

static void *first(void *arg)
{
	x = 0; /* BUG: x */
	forced(2);
	a[x] = 1;
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	x = 1; /* BUG: x */
	forced(2);
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
	return seen;
}
