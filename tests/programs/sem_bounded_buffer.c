/*
 * check-name: bounded buffer by two counting semaphores and a binary one
 * check-seeds: 100
 * check-output:
 * sum 630 of 36 items
 * slots 5 items 0
 * check-output-end
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { ROOM = 5, WORKERS = 3, EACH = 12 };

static sem_t slots, items, lock;
static int buffer[ROOM], in, out, sum;

static void *produce(void *arg)
{
	int first = *(int *)arg;

	for (int i = 0; i < EACH; i++) {
		sem_wait(&slots);
		sem_wait(&lock);
		buffer[in] = first + i;
		in = (in + 1) % ROOM;
		sem_post(&lock);
		sem_post(&items);
	}
	return NULL;
}

static void *consume(void *arg)
{
	(void)arg;
	for (int i = 0; i < EACH; i++) {
		sem_wait(&items);
		sem_wait(&lock);
		sum += buffer[out];
		out = (out + 1) % ROOM;
		sem_post(&lock);
		sem_post(&slots);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2 * WORKERS];
	int first[WORKERS], free_slots, left;

	sem_init(&slots, 0, ROOM);
	sem_init(&items, 0, 0);
	sem_init(&lock, 0, 1);
	for (int i = 0; i < WORKERS; i++) {
		first[i] = i * EACH;
		pthread_create(&t[2 * i], NULL, produce, &first[i]);
		pthread_create(&t[2 * i + 1], NULL, consume, NULL);
	}
	for (int i = 0; i < 2 * WORKERS; i++)
		pthread_join(t[i], NULL);
	sem_getvalue(&slots, &free_slots);
	sem_getvalue(&items, &left);
	printf("sum %d of %d items\nslots %d items %d\n", sum, WORKERS * EACH, free_slots, left);
	sem_destroy(&slots);
	sem_destroy(&items);
	sem_destroy(&lock);
	return 0;
}
