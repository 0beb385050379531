/*
 * check-name: a marked transaction is seen half done
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: atomicity violation
 * check-finds: atomicity balance
 * check-allows: atomicity
 * check-force: exit 1
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance, seen;

static void *poster(void *arg)
{
	heddle_atomic_begin();
	pthread_mutex_lock(&lock);
	balance = 50; /* BUG: balance */
	pthread_mutex_unlock(&lock);
	forced(2);
	pthread_mutex_lock(&lock);
	balance = 100; /* BUG: balance */
	pthread_mutex_unlock(&lock);
	heddle_atomic_end();
	return arg;
}

static void *auditor(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	seen = balance; /* BUG: balance */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, poster, NULL);
	pthread_create(&t2, NULL, auditor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen == 50;
}
