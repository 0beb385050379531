/*
 * check-name: five philosophers, at most four at the table
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

enum { N = 5 };
static pthread_mutex_t forks[N];
static sem_t room;
static int meals[N];

static void *philosopher(void *arg)
{
	int i = (int)(intptr_t)arg;

	sem_wait(&room);
	pthread_mutex_lock(&forks[i]);
	forced(1);
	pthread_mutex_lock(&forks[(i + 1) % N]);
	meals[i]++;
	pthread_mutex_unlock(&forks[(i + 1) % N]);
	pthread_mutex_unlock(&forks[i]);
	sem_post(&room);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	sem_init(&room, 0, N - 1);
	for (int i = 0; i < N; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < N; i++) {
		pthread_create(&t[i], NULL, philosopher, (void *)(intptr_t)i);
		natural(1);
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return meals[N - 1] != 1;
}
