/*
 * check-name: one producer, one consumer, a buffer of one item
 * check-seeds: 100
 * check-output:
 * consumed 40 items, sum 820, in order
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { ITEMS = 40 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int slot, full;

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (full)
			pthread_cond_wait(&emptied, &lock);
		slot = i;
		full = 1;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t producer;
	int sum = 0;

	pthread_create(&producer, NULL, produce, NULL);
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (!full)
			pthread_cond_wait(&filled, &lock);
		assert(slot == i);
		sum += slot;
		full = 0;
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(producer, NULL);
	printf("consumed %d items, sum %d, in order\n", ITEMS, sum);
	return 0;
}
