/*
 * check-name: a ticket lock: exclusion, and service in the order of tickets
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * counter 45, served in order
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint next_ticket, now_serving;
static unsigned counter, order;

static unsigned lock(void)
{
	unsigned ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);

	while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
		sched_yield();
	return ticket;
}

static void unlock(unsigned ticket)
{
	atomic_store_explicit(&now_serving, ticket + 1, memory_order_release);
}

static void *run(void *arg)
{
	(void)arg;
	for (int i = 0; i < 15; i++) {
		unsigned ticket = lock();
		assert(order == ticket);
		order++;
		counter++;
		unlock(ticket);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("counter %u, served in order\n", counter);
	return 0;
}
