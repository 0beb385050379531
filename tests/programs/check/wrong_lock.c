/*
 * check-name: each thread has a lock, but not the same
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'total'
 * check-finds: race total
 * check-allows: atomicity 'total'
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t in_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long total;

static void *income(void *arg)
{
	long seen;

	pthread_mutex_lock(&in_lock);
	seen = total;
	forced(2);
	total = seen + 100; /* BUG: total */
	pthread_mutex_unlock(&in_lock);
	return arg;
}

static void *expense(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&out_lock);
	total -= 40; /* BUG: total */
	pthread_mutex_unlock(&out_lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, income, NULL);
	pthread_create(&t2, NULL, expense, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return total != 60;
}
