/*
 * check-name: main returns while threads run or wait: the process ends with its status
 * check-seeds: 100
 * check-exit: 5
 * check-output:
 * main is done
 * check-output-end
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t started, never;

static void *spin(void *arg)
{
	sem_post(&started);
	for (;;)
		sched_yield();
	return arg;
}

static void *sleep_for_ever(void *arg)
{
	sem_post(&started);
	sem_wait(&never);
	printf("not here\n");
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&started, 0, 0);
	sem_init(&never, 0, 0);
	pthread_create(&t[0], NULL, spin, NULL);
	pthread_create(&t[1], NULL, sleep_for_ever, NULL);
	sem_wait(&started);
	sem_wait(&started);
	printf("main is done\n");
	return 5;
}
