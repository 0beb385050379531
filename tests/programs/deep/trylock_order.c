/*
 * check-name: when the second lock is taken, the slow path takes them in an order of its own
 * check-command: heddle check --deep -- $exe
 * check-finds: deadlock order
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int moved;

static void *forwards(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); /* BUG: order */
	moved = moved + 1;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *backwards(void *arg)
{
	natural(1);
	if (pthread_mutex_trylock(&b) != 0) {
		pthread_mutex_lock(&b);
		pthread_mutex_lock(&a); /* BUG: order */
		moved = moved + 1;
		pthread_mutex_unlock(&a);
	}
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, forwards, NULL);
	pthread_create(&t2, NULL, backwards, NULL);
	pthread_create(&t3, NULL, forwards, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
