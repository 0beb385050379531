/*
 * check-name: a semaphore is waited for by one thread and posted by another
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;
static int value;

static void *opener(void *arg)
{
	natural(1);
	forced(1);
	value = 1;
	sem_post(&gate);
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	sem_init(&gate, 0, 0);
	pthread_create(&t, NULL, opener, NULL);
	sem_wait(&gate);
	seen = value;
	pthread_join(t, NULL);
	return seen != 1;
}
