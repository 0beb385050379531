/*
 * check-name: loader, polled without a pause: thousands of rounds before the end is seen
 * check-command: heddle branches -- $exe
 * check-branch: adhoc end
 * check-branch: bug sorted
 * check-branch: bug swap
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile int array[3] = {2, 3, 1};
static volatile int ended;

static void sort_pair(volatile int *a)
{
	int x = a[0], y = a[1];

	if (x > y) { /* BRANCH: swap */
		a[0] = y;
		a[1] = x;
	}
}

static void *upper(void *arg)
{
	sort_pair(array + 1);
	return arg;
}

static void *lower(void *arg)
{
	natural(1);
	sort_pair(array);
	ended = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, upper, NULL);
	pthread_create(&t2, NULL, lower, NULL);
	while (!ended) /* BRANCH: end */
		sched_yield();
	if (array[0] > array[1] || array[1] > array[2]) /* BRANCH: sorted */
		abort();
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
