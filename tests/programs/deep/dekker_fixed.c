/*
 * check-name: two threads announce themselves; one of them waits, the other gives way once and waits
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], inside;

static void *first(void *arg)
{
	atomic_store(&wants[0], 1);
	while (atomic_load(&wants[1]))
		sched_yield();
	assert(atomic_fetch_add(&inside, 1) == 0);
	atomic_fetch_sub(&inside, 1);
	atomic_store(&wants[0], 0);
	return arg;
}

static void *second(void *arg)
{
	atomic_store(&wants[1], 1);
	if (atomic_load(&wants[0])) {
		atomic_store(&wants[1], 0);
		return arg;
	}
	assert(atomic_fetch_add(&inside, 1) == 0);
	atomic_fetch_sub(&inside, 1);
	atomic_store(&wants[1], 0);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	natural(1);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
