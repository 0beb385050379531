/*
 * check-name: a hash is taken modulo a size that a semaphore says is set
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t is_set;
static unsigned size;
static unsigned slot;

static void *setter(void *arg)
{
	forced(1);
	size = 16;
	sem_post(&is_set);
	return arg;
}

static void *hasher(void *arg)
{
	natural(1);
	sem_wait(&is_set);
	slot = 1234567u % size;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&is_set, 0, 0);
	pthread_create(&t1, NULL, setter, NULL);
	pthread_create(&t2, NULL, hasher, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return slot != 7;
}
