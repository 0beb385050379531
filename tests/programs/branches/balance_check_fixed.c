/*
 * check-name: looked at and paid in one lock region
 * check-command: heddle branches -- $exe
 * check-branch: unclear enough
 * check-branch: not debt
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int balance = 100;

static void *pay(void *arg)
{
	pthread_mutex_lock(&lock);
	if (balance >= 60) /* BRANCH: enough */
		balance = balance - 60;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, pay, NULL);
	natural(1);
	pthread_create(&t2, NULL, pay, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (balance < 0) /* BRANCH: debt */
		abort();
	return 0;
}
