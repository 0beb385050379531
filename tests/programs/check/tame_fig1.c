/*
 * check-name: Tame, Fig. 1: how a file is sent depends on a flag that a monitor sets meanwhile
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'is_good'
 * check-output-contains: assertion failure
 * check-finds: race is_good
 * check-finds: assert mixed
 * check-allows: race 'is_good'
 * check-allows: atomicity 'is_good'
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static volatile bool is_good = true;
static int fast, slow;

static void *transfer(void *arg)
{
	bool opened_fast = is_good; /* BUG: is_good */

	forced(2);
	fast += opened_fast;
	slow += !opened_fast;
	assert(is_good == opened_fast); /* BUG: mixed */
	return arg;
}

static void *monitor(void *arg)
{
	forced(1);
	is_good = false; /* BUG: is_good */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, transfer, NULL);
	natural(1);
	pthread_create(&t2, NULL, monitor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(fast + slow == 1);
	return 0;
}
