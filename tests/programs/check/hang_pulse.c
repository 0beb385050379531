/*
 * check-name: a flag that is set and reset again: a thread that looks too late waits for ever
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: hang pulse
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int pulse;

static void *watcher(void *arg)
{
	forced(2);
	while (!atomic_load(&pulse)) /* BUG: pulse */
		sched_yield();
	return arg;
}

static void *sender(void *arg)
{
	natural(1);
	atomic_store(&pulse, 1);
	natural(2);
	atomic_store(&pulse, 0);
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
