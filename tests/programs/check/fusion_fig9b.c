/*
 * check-name: Fusion, Fig. 9 b, without the wait: a write between write and read
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'x'
 * check-output-contains: atomicity violation
 * check-finds: race first
 * check-finds: atomicity x
 * check-allows: race 'x'
 * check-allows: atomicity 'x'
 * check-force: exit 1
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>

static volatile int x;
static int seen;

static void *first(void *arg)
{
	heddle_atomic_begin();
	x = 1; /* BUG: x first */
	forced(2);
	seen = x + 1; /* BUG: x */
	heddle_atomic_end();
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	x = 3; /* BUG: x first */
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
	return seen != 2;
}
