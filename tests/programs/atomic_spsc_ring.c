/*
 * check-name: a single-producer single-consumer ring with acquire and release indices
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 60 items in order through a ring of 4
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { ROOM = 4, ITEMS = 60 };

static int ring[ROOM];
static atomic_uint head, tail;

static bool put(int item)
{
	unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);

	if (t - atomic_load_explicit(&head, memory_order_acquire) == ROOM)
		return false;
	ring[t % ROOM] = item;
	atomic_store_explicit(&tail, t + 1, memory_order_release);
	return true;
}

static bool get(int *item)
{
	unsigned h = atomic_load_explicit(&head, memory_order_relaxed);

	if (h == atomic_load_explicit(&tail, memory_order_acquire))
		return false;
	*item = ring[h % ROOM];
	atomic_store_explicit(&head, h + 1, memory_order_release);
	return true;
}

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		while (!put(i))
			sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t;
	int item;

	pthread_create(&t, NULL, produce, NULL);
	for (int i = 0; i < ITEMS; i++) {
		while (!get(&item))
			sched_yield();
		assert(item == i);
	}
	pthread_join(t, NULL);
	printf("%d items in order through a ring of %d\n", ITEMS, ROOM);
	return 0;
}
