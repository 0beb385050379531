/*
 * check-name: a ring for one producer and one consumer with atomic indices
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

enum { ROOM = 4 };
static int ring[ROOM];
static atomic_uint head, tail;
static int sum;

static void *producer(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		unsigned at = atomic_load_explicit(&head, memory_order_relaxed);

		ring[at % ROOM] = i;
		atomic_store_explicit(&head, at + 1, memory_order_release);
	}
	return arg;
}

static void *consumer(void *arg)
{
	natural(1);
	forced(1);
	while (tail != atomic_load_explicit(&head, memory_order_acquire)) {
		sum += ring[tail % ROOM];
		atomic_fetch_add(&tail, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return sum != 3;
}
