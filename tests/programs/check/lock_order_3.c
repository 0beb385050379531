/*
 * check-name: three locks, each thread takes one and the next
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
		       c = PTHREAD_MUTEX_INITIALIZER;
static int ab, bc, ca;

static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	forced(1);
	pthread_mutex_lock(&b); /* BUG: order */
	ab++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	pthread_mutex_lock(&b);
	forced(1);
	pthread_mutex_lock(&c); /* BUG: order */
	bc++;
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *third(void *arg)
{
	natural(2);
	pthread_mutex_lock(&c);
	forced(1);
	pthread_mutex_lock(&a); /* BUG: order */
	ca++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&c);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_create(&t3, NULL, third, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return ab + bc + ca != 3;
}
