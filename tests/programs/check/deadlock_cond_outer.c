/*
 * check-name: a condition is waited for with a second lock that the signaller needs first
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock outer
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, seen, total;

static void *waiter(void *arg)
{
	natural(1);
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&cond, &lock); /* BUG: outer */
	seen = ready;
	pthread_mutex_unlock(&lock);
	total++;
	pthread_mutex_unlock(&outer);
	return arg;
}

static void *setter(void *arg)
{
	forced(1);
	pthread_mutex_lock(&outer); /* BUG: outer */
	total++;
	pthread_mutex_unlock(&outer);
	natural(2);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, waiter, NULL);
	pthread_create(&t2, NULL, setter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen != 1 || total != 2;
}
