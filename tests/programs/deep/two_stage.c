/*
 * check-name: an update in two stages with a lock each; the reader that is early does nothing
 * check-command: heddle check --deep -- $exe
 * check-finds: assert stage
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock1 = PTHREAD_MUTEX_INITIALIZER, lock2 = PTHREAD_MUTEX_INITIALIZER;
static volatile int data1, data2;

static void *writer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock1);
	data1 = 1;
	pthread_mutex_unlock(&lock1);
	pthread_mutex_lock(&lock2);
	data2 = 2;
	pthread_mutex_unlock(&lock2);
	return arg;
}

static void *reader(void *arg)
{
	int a, b;

	pthread_mutex_lock(&lock1);
	a = data1;
	pthread_mutex_unlock(&lock1);
	if (a == 0)
		return arg;
	pthread_mutex_lock(&lock2);
	b = data2;
	pthread_mutex_unlock(&lock2);
	assert(b == a + 1); /* BUG: stage */
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
