/*
 * check-name: before the assertion a function is called that ends the program
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void end(int status)
{
	exit(status);
}

static void __attribute__((noinline)) stop_unless(int c)
{
	if (!c)
		end(0);
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&m);
	a = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	a = 2;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *reader(void *arg)
{
	int p, q;

	natural(1);
	pthread_mutex_lock(&m);
	p = a;
	q = b;
	pthread_mutex_unlock(&m);
	if (p == 1) {
		stop_unless(q == 1); /* does not return: b is 0 */
		assert(0);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
