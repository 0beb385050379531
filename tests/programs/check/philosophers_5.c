/*
 * check-name: five philosophers, everybody takes the left fork first
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <stdint.h>

enum { N = 5 };
static pthread_mutex_t forks[N];
static int meals[N];

static void *philosopher(void *arg)
{
	int i = (int)(intptr_t)arg;

	pthread_mutex_lock(&forks[i]);
	forced(1);
	pthread_mutex_lock(&forks[(i + 1) % N]); /* BUG: order */
	meals[i]++;
	pthread_mutex_unlock(&forks[(i + 1) % N]);
	pthread_mutex_unlock(&forks[i]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

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
