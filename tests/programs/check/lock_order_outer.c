/*
 * check-name: the lock that closes the circle is not the innermost one that is held: a, b, c against c, a
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: deadlock order
 * check-force: hang
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
	pthread_mutex_lock(&c); /* BUG: order */
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *against(void *arg)
{
	natural(1);
	pthread_mutex_lock(&c);
	forced(1);
	pthread_mutex_lock(&a); /* BUG: order */
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&c);
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
