/*
 * check-name: a value is read in one lock region and written back in the next
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: atomicity violation
 * check-finds: atomicity stock
 * check-allows: atomicity 'stock'
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 10;

static void *sell(void *arg)
{
	int n;

	pthread_mutex_lock(&lock);
	n = stock; /* BUG: stock */
	pthread_mutex_unlock(&lock);
	forced(1);
	pthread_mutex_lock(&lock);
	stock = n - 1; /* BUG: stock */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, sell, NULL);
	natural(1);
	pthread_create(&t2, NULL, sell, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return stock != 8;
}
