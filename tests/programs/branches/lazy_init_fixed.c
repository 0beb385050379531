/*
 * check-name: made when first needed, under a lock: who makes it is open, that it is made once is not
 * check-command: heddle branches -- $exe
 * check-branch: unclear there
 * check-branch: not once
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table[4];
static int *instance;
static volatile int made;

static void *user(void *arg)
{
	pthread_mutex_lock(&lock);
	if (instance == NULL) { /* BRANCH: there */
		made = made + 1;
		instance = table;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (made != 1) /* BRANCH: once */
		abort();
	return 0;
}
