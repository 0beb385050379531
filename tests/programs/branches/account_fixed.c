/*
 * check-name: account: deposits under the lock: the sum is right in every order
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { CLIENTS = 2, AMOUNT = 100 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance, total;

static void *client(void *arg)
{
	pthread_mutex_lock(&lock);
	balance += AMOUNT;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	total += AMOUNT;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[CLIENTS];

	for (int i = 0; i < CLIENTS; i++) {
		pthread_create(&t[i], NULL, client, NULL);
		natural(1);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(t[i], NULL);
	if (balance != total) /* BRANCH: sum */
		abort();
	return 0;
}
