/*
 * check-name: enough money when it is looked at, too little when it is paid
 * check-command: heddle branches -- $exe
 * check-branch: bug enough
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int enough(int amount)
{
	int yes;

	pthread_mutex_lock(&lock);
	yes = balance >= amount;
	pthread_mutex_unlock(&lock);
	return yes;
}

static void *pay(void *arg)
{
	if (enough(60)) { /* BRANCH: enough */
		pthread_mutex_lock(&lock);
		balance -= 60;
		pthread_mutex_unlock(&lock);
	}
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
	if (balance < 0)
		abort();
	return 0;
}
