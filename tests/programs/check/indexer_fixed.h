/*
 * THREADS indexers put words into a hash table of 128 slots with a lock each. They count collisions
 * with an atomic addition.
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SIZE = 128, WORDS = 4 };

static struct slot {
	pthread_mutex_t lock;
	int word;
} table[SIZE];
static atomic_long collisions;

static void *indexer(void *arg)
{
	int id = (int)(intptr_t)arg;
	intptr_t own = 0;

	for (int m = 1; m <= WORDS; m++) {
		int word = m * 11 + id, h = word * 7 % SIZE;

		pthread_mutex_lock(&table[h].lock);
		while (table[h].word) {
			atomic_fetch_add(&collisions, 1);
			own++;
			pthread_mutex_unlock(&table[h].lock);
			h = (h + 1) % SIZE;
			pthread_mutex_lock(&table[h].lock);
		}
		table[h].word = word;
		pthread_mutex_unlock(&table[h].lock);
	}
	return (void *)own;
}

int main(void)
{
	pthread_t t[THREADS];
	long sum = 0;
	void *own;

	for (int i = 0; i < SIZE; i++)
		pthread_mutex_init(&table[i].lock, NULL);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&t[i], NULL, indexer, (void *)(intptr_t)i);
		apart();
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], &own);
		sum += (intptr_t)own;
	}
	assert(collisions == sum);
	return 0;
}
