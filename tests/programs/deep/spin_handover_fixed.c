/*
 * check-name: a wait for a flag: however many rounds it takes, what is behind it is right
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready, value;

static void *giver(void *arg)
{
	atomic_store(&value, 1);
	atomic_store(&ready, 1);
	return arg;
}

static void *taker(void *arg)
{
	natural(1);
	while (!atomic_load(&ready))
		sched_yield();
	assert(atomic_load(&value));
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, giver, NULL);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
