/*
 * check-name: three philosophers with semaphores for forks, the last one left-handed
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

enum { N = 3 };
static sem_t forks[N];
static int meals[N];

static void *philosopher(void *arg)
{
	int i = (int)(intptr_t)arg, j = (i + 1) % N;

	sem_wait(&forks[i < j ? i : j]);
	forced(1);
	sem_wait(&forks[i < j ? j : i]);
	meals[i]++;
	sem_post(&forks[i]);
	sem_post(&forks[j]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		sem_init(&forks[i], 0, 1);
	for (int i = 0; i < N; i++) {
		pthread_create(&t[i], NULL, philosopher, (void *)(intptr_t)i);
		natural(1);
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return meals[N - 1] != 1;
}
