/*
 * check-name: Tame, Fig. 1, the flag looked at once and under a lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_good = true;
static int fast, slow;

static void *transfer(void *arg)
{
	bool use_fast;

	pthread_mutex_lock(&lock);
	use_fast = is_good;
	pthread_mutex_unlock(&lock);
	forced(2);
	if (use_fast)
		fast++;
	else
		slow++;
	return arg;
}

static void *monitor(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	is_good = false;
	pthread_mutex_unlock(&lock);
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
