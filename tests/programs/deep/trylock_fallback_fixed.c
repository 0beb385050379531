/*
 * check-name: who does not get the lock leaves it
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside, missed;

static void work(void)
{
	int others = atomic_fetch_add(&inside, 1);

	assert(others == 0);
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
		atomic_fetch_add(&missed, 1);
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
