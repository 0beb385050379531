/*
 * check-name: three locks nested, and two of them in the same order: a, b, c and a, c
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
		       c = PTHREAD_MUTEX_INITIALIZER;

static void *nested(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	forced(1);
	pthread_mutex_lock(&c);
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *against(void *arg)
{
	natural(1);
	pthread_mutex_lock(&a);
	forced(1);
	pthread_mutex_lock(&c);
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&a);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, nested, NULL);
	pthread_create(&u, NULL, against, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
