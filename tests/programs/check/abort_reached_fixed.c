/*
 * check-name: two withdrawals that look at the balance and change it in one region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *arg)
{
	pthread_mutex_lock(&lock);
	if (balance >= 60) {
		forced(1);
		balance -= 60;
		if (balance < 0)
			abort();
	}
	pthread_mutex_unlock(&lock);
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
