/*
 * check-name: three locks, the third thread takes them in the order of the others
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
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
	pthread_mutex_lock(&b);
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
	pthread_mutex_lock(&c);
	bc++;
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *third(void *arg)
{
	natural(2);
	pthread_mutex_lock(&a);
	forced(1);
	pthread_mutex_lock(&c);
	ca++;
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&a);
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
