/*
 * check-name: main() returns at once, and its threads do nothing wrong however far they get
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 10, sold;

static void *sell(void *arg)
{
	int have;

	natural(2);
	pthread_mutex_lock(&m);
	have = stock;
	stock = have - 1;
	sold++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *audit(void *arg)
{
	natural(3);
	pthread_mutex_lock(&m);
	assert(stock + sold == 10);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sell, NULL);
	pthread_create(&t, NULL, sell, NULL);
	pthread_create(&t, NULL, audit, NULL);
	return 0;
}
