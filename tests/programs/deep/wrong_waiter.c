/*
 * check-name: two threads wait for different conditions at one condition variable; a signal reaches the wrong one
 * check-command: heddle check --deep -- $exe
 * check-finds: deadlock first
 * check-finds: deadlock second
 * check-allows: lost-wakeup
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int a, b;

static void *wait_for_a(void *arg)
{
	natural(1);
	pthread_mutex_lock(&m);
	while (!a)
		pthread_cond_wait(&changed, &m); /* BUG: first */
	pthread_mutex_unlock(&m);
	return arg;
}

static void *wait_for_b(void *arg)
{
	natural(1);
	pthread_mutex_lock(&m);
	while (!b)
		pthread_cond_wait(&changed, &m); /* BUG: second */
	pthread_mutex_unlock(&m);
	return arg;
}

static void set(int *what)
{
	pthread_mutex_lock(&m);
	*what = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&m);
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, wait_for_a, NULL);
	pthread_create(&u, NULL, wait_for_b, NULL);
	set(&a);
	set(&b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
