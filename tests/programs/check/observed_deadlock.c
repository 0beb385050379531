/*
 * check-name: the recorded run ends in a deadlock of two locks
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock of mutex 'b', mutex 'a' (H1, seen in the recorded run)
 * check-output-contains: Also blocked: the main thread
 * check-finds: deadlock now
 * check-natural: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	usleep(60000);
	pthread_mutex_lock(&b); /* BUG: now */
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&b);
	usleep(60000);
	pthread_mutex_lock(&a); /* BUG: now */
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
