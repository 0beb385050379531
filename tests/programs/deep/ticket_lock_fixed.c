/*
 * check-name: a ticket lock
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next, serving;
static int inside;

static void *worker(void *arg)
{
	int mine = atomic_fetch_add(&next, 1);

	while (atomic_load(&serving) != mine)
		sched_yield();
	assert(inside++ == 0);
	inside--;
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
