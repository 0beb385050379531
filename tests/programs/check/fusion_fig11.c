/*
 * check-name: Fusion, Fig. 11: two variables that are checked and set without a lock
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'x'
 * check-finds: race x
 * check-allows: race 'x'
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static volatile int x, y;

static void *foo(void *arg)
{
	int a = y;

	forced(1);
	if (a == 0) {
		x = 1; /* BUG: x */
		a = x + 1;
		x = a;
	} else {
		x = 0;
	}
	return arg;
}

static void *bar(void *arg)
{
	int b = x; /* BUG: x */

	forced(1);
	if (b == 0) {
		y = 1;
		b = y + 1;
		y = b;
	} else {
		y = 0;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, foo, NULL);
	natural(1);
	pthread_create(&t2, NULL, bar, NULL);
	pthread_join(t2, NULL);
	pthread_join(t1, NULL);
	assert(x != y);
	return 0;
}
