/*
 * check-name: shop: a supplier and two customers, everything under one lock
 * check-command: heddle branches -- $exe
 * check-branch: unclear get
 * check-branch: unclear put
 * check-branch: unclear empty
 */
#include "../check/order.h"
#include <pthread.h>

enum { ROOM = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int storage[ROOM], items;
static int bought;

static void *supplier(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&lock);
		storage[items] = i; /* BRANCH: put */
		items++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *customer(void *arg)
{
	pthread_mutex_lock(&lock);
	if (items != 0) { /* BRANCH: empty */
		items--;
		bought += storage[items]; /* BRANCH: get */
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, supplier, NULL);
	natural(1);
	pthread_create(&t2, NULL, customer, NULL);
	natural(1);
	pthread_create(&t3, NULL, customer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return bought > 3;
}
