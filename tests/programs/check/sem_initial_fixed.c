/*
 * check-name: a semaphore that says "ready" when it is
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *producer(void *arg)
{
	forced(1);
	data = 42;
	sem_post(&ready);
	return arg;
}

static void *consumer(void *arg)
{
	natural(1);
	sem_wait(&ready);
	assert(data == 42);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&ready, 0, 0);
	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
