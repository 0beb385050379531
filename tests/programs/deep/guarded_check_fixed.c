/*
 * check-name: the check is behind a flag, and what it looks at is changed in one lock region
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int begun, first, second;

static void *writer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	begun = 1;
	first = 1;
	second = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reader(void *arg)
{
	int a, b;

	pthread_mutex_lock(&lock);
	if (begun) {
		a = first;
		b = second;
		assert(a == b);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
