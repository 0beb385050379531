/*
 * check-name: two units are taken from a pool of three
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *worker(void *arg)
{
	sem_wait(&units);
	forced(1);
	sem_wait(&units);
	sem_post(&units);
	sem_post(&units);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&units, 0, 3);
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	sem_destroy(&units);
	return 0;
}
