/*
 * check-name: who does not get the lock writes without it
 * check-command: heddle check --deep -- $exe
 * check-finds: assert alone
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;

static void work(void)
{
	int others = atomic_fetch_add(&inside, 1);

	assert(others == 0); /* BUG: alone */
	atomic_fetch_sub(&inside, 1);
}

static void *careful(void *arg)
{
	pthread_mutex_lock(&lock);
	work();
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *hasty(void *arg)
{
	natural(1);
	if (pthread_mutex_trylock(&lock) == 0) {
		work();
		pthread_mutex_unlock(&lock);
	} else {
		work();
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, careful, NULL);
	pthread_create(&t2, NULL, hasty, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
