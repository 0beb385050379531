/*
 * check-name: a ticket lock whose tickets are not drawn in one step: a ticket is lost and a thread waits for ever
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: hang turn
 * check-allows: atomicity
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next, serving;

static void *worker(void *arg)
{
	int mine = atomic_load(&next);

	forced(2);
	atomic_store(&next, mine + 1);
	while (atomic_load(&serving) != mine) /* BUG: turn */
		sched_yield();
	atomic_fetch_add(&serving, 1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
