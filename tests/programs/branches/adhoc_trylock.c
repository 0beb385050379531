/*
 * check-name: a mutex is tried until it is got
 * check-command: heddle branches -- $exe
 * check-branch: adhoc try
 * check-branch-kind: try try
 * check-branch: not sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg)
{
	while (pthread_mutex_trylock(&lock)) /* BRANCH: try */
		sched_yield();
	sum++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (sum != 2) /* BRANCH: sum */
		abort();
	return 0;
}
