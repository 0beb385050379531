/*
 * check-name: Vyukov's bounded queue for many producers and many consumers
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * each of 30 items came out once; each producer's in order
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ROOM = 4, PRODUCERS = 2, CONSUMERS = 2, EACH = 15 };

struct cell {
	atomic_uint seq;
	int item;
};

static struct cell cells[ROOM];
static atomic_uint enqueue_at, dequeue_at;
static atomic_int left = PRODUCERS * EACH;
static int got[CONSUMERS][PRODUCERS * EACH], ngot[CONSUMERS];

static bool put(int item)
{
	unsigned at = atomic_load_explicit(&enqueue_at, memory_order_relaxed);

	for (;;) {
		struct cell *c = &cells[at % ROOM];
		int lag = (int)(atomic_load_explicit(&c->seq, memory_order_acquire) - at);
		if (lag < 0)
			return false;
		if (lag > 0) {
			at = atomic_load_explicit(&enqueue_at, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&enqueue_at, &at, at + 1,
				   memory_order_relaxed, memory_order_relaxed)) {
			c->item = item;
			atomic_store_explicit(&c->seq, at + 1, memory_order_release);
			return true;
		}
	}
}

static bool get(int *item)
{
	unsigned at = atomic_load_explicit(&dequeue_at, memory_order_relaxed);

	for (;;) {
		struct cell *c = &cells[at % ROOM];
		int lag = (int)(atomic_load_explicit(&c->seq, memory_order_acquire) - (at + 1));
		if (lag < 0)
			return false;
		if (lag > 0) {
			at = atomic_load_explicit(&dequeue_at, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&dequeue_at, &at, at + 1,
				   memory_order_relaxed, memory_order_relaxed)) {
			*item = c->item;
			atomic_store_explicit(&c->seq, at + ROOM, memory_order_release);
			return true;
		}
	}
}

static void *produce(void *arg)
{
	int first = *(int *)arg * EACH;

	for (int i = 0; i < EACH; i++)
		while (!put(first + i))
			sched_yield();
	return NULL;
}

static void *consume(void *arg)
{
	int me = *(int *)arg, item;

	while (atomic_load(&left) > 0) {
		if (!get(&item)) {
			sched_yield();
			continue;
		}
		got[me][ngot[me]++] = item;
		atomic_fetch_sub(&left, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t p[PRODUCERS], c[CONSUMERS];
	int id[2] = {0, 1}, seen[PRODUCERS * EACH] = {0}, once = 0, in_order = 1;

	for (unsigned i = 0; i < ROOM; i++)
		atomic_init(&cells[i].seq, i);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&c[i], NULL, consume, &id[i]);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&p[i], NULL, produce, &id[i]);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(p[i], NULL);
	for (int i = 0; i < CONSUMERS; i++) {
		int last[PRODUCERS] = {-1, -1};
		pthread_join(c[i], NULL);
		for (int k = 0; k < ngot[i]; k++) {
			int item = got[i][k], from = item / EACH;
			seen[item]++;
			in_order &= last[from] < item;
			last[from] = item;
		}
	}
	for (int i = 0; i < PRODUCERS * EACH; i++)
		once += seen[i] == 1;
	printf("each of %d items came out once; each producer's %s\n", once,
		in_order ? "in order" : "out of order");
	return 0;
}
