/*
 * check-name: three philosophers with semaphores for forks
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
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
	int i = (int)(intptr_t)arg;

	sem_wait(&forks[i]);
	forced(1);
	sem_wait(&forks[(i + 1) % N]); /* BUG: order */
	meals[i]++;
	sem_post(&forks[(i + 1) % N]);
	sem_post(&forks[i]);
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
