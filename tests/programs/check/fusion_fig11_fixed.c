/*
 * check-name: Fusion, Fig. 11, check and set in one lock region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *foo(void *arg)
{
	int a;

	pthread_mutex_lock(&lock);
	a = y;
	forced(1);
	if (a == 0) {
		x = 1;
		a = x + 1;
		x = a;
	} else {
		x = 0;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *bar(void *arg)
{
	int b;

	pthread_mutex_lock(&lock);
	b = x;
	forced(1);
	if (b == 0) {
		y = 1;
		b = y + 1;
		y = b;
	} else {
		y = 0;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, foo, NULL);
	natural(1);
	pthread_create(&t2, NULL, bar, NULL);
	pthread_join(t2, NULL);
	pthread_join(t1, NULL);
	assert(x != y);
	return 0;
}
