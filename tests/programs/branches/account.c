/*
 * check-name: account: deposits to one balance without its lock, and the sum is looked at in the end
 * check-command: heddle branches -- $exe
 * check-branch: bug sum
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { CLIENTS = 2, AMOUNT = 100 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int balance;
static int total;

static void *client(void *arg)
{
	int before = balance;

	balance = before + AMOUNT;
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
