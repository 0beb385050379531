/*
 * check-name: a semaphore is destroyed after its last post
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ticks;

static void *ticker(void *arg)
{
	sem_post(&ticks);
	forced(2);
	sem_post(&ticks);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&ticks, 0, 0);
	pthread_create(&t, NULL, ticker, NULL);
	sem_wait(&ticks);
	natural(1);
	pthread_join(t, NULL);
	sem_destroy(&ticks);
	return 0;
}
