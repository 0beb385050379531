/*
 * check-name: a count of pulses: a thread that looks late sees that it has passed
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int pulses;

static void *watcher(void *arg)
{
	while (atomic_load(&pulses) < 1)
		sched_yield();
	return arg;
}

static void *sender(void *arg)
{
	natural(1);
	atomic_store(&pulses, 1);
	natural(2);
	atomic_store(&pulses, 2);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, watcher, NULL);
	pthread_create(&u, NULL, sender, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
