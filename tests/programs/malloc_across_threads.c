/*
 * check-name: blocks are allocated in one thread, grown in another and freed in a third
 * check-seeds: 100
 * check-output:
 * 20 blocks, 2700 bytes checked
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 20 };

struct stage {
	char *block[BLOCKS];
	sem_t ready;
};

static struct stage first, second;

static size_t size_of(int i)
{
	return 40 + 10 * (size_t)i;
}

static void *allocate(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		first.block[i] = i % 2 ? malloc(size_of(i)) : calloc(size_of(i), 1);
		memset(first.block[i], 'a' + i, size_of(i));
		sem_post(&first.ready);
	}
	return arg;
}

static void *grow(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		sem_wait(&first.ready);
		second.block[i] = realloc(first.block[i], 4 * size_of(i));
		sem_post(&second.ready);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];
	size_t bytes = 0;

	sem_init(&first.ready, 0, 0);
	sem_init(&second.ready, 0, 0);
	pthread_create(&t[0], NULL, allocate, NULL);
	pthread_create(&t[1], NULL, grow, NULL);
	for (int i = 0; i < BLOCKS; i++) {
		sem_wait(&second.ready);
		for (size_t k = 0; k < size_of(i); k++, bytes++)
			assert(second.block[i][k] == 'a' + i);
		free(second.block[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d blocks, %zu bytes checked\n", BLOCKS, bytes);
	return 0;
}
