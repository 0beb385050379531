/*
 * check-name: a home-made spin lock that exchanges
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int busy;
static int counter;

static void *worker(void *arg)
{
	int seen;

	while (atomic_exchange(&busy, 1))
		sched_yield();
	seen = counter;
	forced(1);
	counter = seen + 1;
	atomic_store(&busy, 0);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return counter != 2;
}
