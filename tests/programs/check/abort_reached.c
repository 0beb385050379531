/*
 * check-name: two withdrawals that each looked at the balance before
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert overdrawn
 * check-allows: atomicity 'balance'
 * check-force: SIGABRT
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *arg)
{
	int enough;

	pthread_mutex_lock(&lock);
	enough = balance >= 60;
	pthread_mutex_unlock(&lock);
	forced(1);
	if (enough) {
		pthread_mutex_lock(&lock);
		balance -= 60;
		if (balance < 0) /* BUG: overdrawn */
			abort();
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *deposit(void *arg)
{
	natural(1);
	forced(3);
	pthread_mutex_lock(&lock);
	balance += 60;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, withdraw, NULL);
	pthread_create(&t2, NULL, deposit, NULL);
	natural(2);
	pthread_create(&t3, NULL, withdraw, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
