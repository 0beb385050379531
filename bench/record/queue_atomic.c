/* A ring of C11 atomics between one producer and one consumer. Argument: items. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1024, BATCH = 8 };

struct item {
	unsigned long key, payload[BATCH];
};

static struct item ring[SLOTS];
static _Alignas(64) atomic_ulong head; /* next to take */
static _Alignas(64) atomic_ulong tail; /* next to fill */
static unsigned long items;

static void *produce(void *arg)
{
	unsigned long x = 1;

	for (unsigned long i = 0; i < items; i++) {
		struct item *slot = &ring[i % SLOTS];

		while (i - atomic_load_explicit(&head, memory_order_acquire) == SLOTS)
			sched_yield();
		slot->key = i;
		for (int k = 0; k < BATCH; k++) {
			x = x * 6364136223846793005ul + 1442695040888963407ul;
			slot->payload[k] = x ^ (x >> 31);
		}
		atomic_store_explicit(&tail, i + 1, memory_order_release);
	}
	return arg;
}

static void *consume(void *arg)
{
	unsigned long *sum = arg;

	for (unsigned long i = 0; i < items; i++) {
		struct item *slot = &ring[i % SLOTS];
		unsigned long h = slot - ring;

		while (atomic_load_explicit(&tail, memory_order_acquire) == i)
			sched_yield();
		for (int k = 0; k < BATCH; k++)
			h = (h ^ slot->payload[k]) * 0x100000001b3ul;
		*sum += h ^ slot->key;
		atomic_store_explicit(&head, i + 1, memory_order_release);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	unsigned long sum = 0;

	items = argc > 1 ? strtoul(argv[1], NULL, 10) : 25000000;
	pthread_create(&t[0], NULL, produce, NULL);
	pthread_create(&t[1], NULL, consume, &sum);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%lu\n", sum);
	return 0;
}
