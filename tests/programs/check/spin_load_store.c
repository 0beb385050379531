/*
 * check-name: a home-made spin lock that looks first and then locks
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'counter'
 * check-finds: race counter
 * check-allows: race 'counter'
 * check-allows: atomicity
 * check-force: exit 1
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

	while (atomic_load(&busy))
		sched_yield();
	forced(1);
	atomic_store(&busy, 1);
	seen = counter; /* BUG: counter */
	forced(1);
	counter = seen + 1; /* BUG: counter */
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
