/*
 * check-name: a consumer waits for one item more than is produced
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-output-contains: item 3
 * check-error-contains: deadlock: every thread waits
 * check-error-contains: waits for sem_wait
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t items;

static void *produce(void *arg)
{
	for (int i = 0; i < 3; i++)
		sem_post(&items);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&items, 0, 0);
	pthread_create(&t, NULL, produce, NULL);
	for (int i = 1; i <= 4; i++) {
		sem_wait(&items);
		printf("item %d\n", i);
		fflush(stdout);
	}
	pthread_join(t, NULL);
	return 0;
}
