/*
 * check-name: the value of a semaphore is never above its units, whenever it is looked at
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *works(void *arg)
{
	sem_wait(&s);
	sem_post(&s);
	return arg;
}

static void *looks(void *arg)
{
	int value;

	natural(1);
	sem_getvalue(&s, &value);
	assert(value == 1 || value == 2);
	if (value == 2) {
		sem_wait(&s);
		sem_getvalue(&s, &value);
		assert(value <= 1);
		sem_post(&s);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;
	int value;

	sem_init(&s, 0, 2);
	pthread_create(&t, NULL, works, NULL);
	pthread_create(&u, NULL, looks, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	sem_getvalue(&s, &value);
	assert(value == 2);
	return 0;
}
