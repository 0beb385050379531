/*
 * check-name: a semaphore for a lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t mutex;
static volatile int value;

static void *worker(void *arg)
{
	int seen;

	sem_wait(&mutex);
	seen = value;
	forced(1);
	value = seen + 1;
	sem_post(&mutex);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&mutex, 0, 1);
	sem_wait(&mutex);
	value = 0;
	sem_post(&mutex);
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
