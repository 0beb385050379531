/*
 * check-name: who comes before the flag is set waits for a signal, and nobody gives one
 * check-command: heddle branches -- $exe
 * check-branch: bug ready
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *waiter(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	if (!ready) /* BRANCH: ready */
		pthread_cond_wait(&set, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
	ready = 1;
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
	return 0;
}
