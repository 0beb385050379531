/*
 * check-name: a semaphore that could not be taken has a value above 0 when it is looked at afterwards
 * check-command: heddle check --deep -- $exe
 * check-finds: assert value
 */
#include "../check/order.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static sem_t s;
static atomic_int x;

static void *works(void *arg)
{
	sem_wait(&s);
	atomic_store(&x, 1);
	sem_post(&s);
	return arg;
}

static void *looks(void *arg)
{
	int value;

	natural(1);
	if (sem_trywait(&s) != 0) {
		sem_getvalue(&s, &value);
		if (atomic_load(&x) == 1 && value > 0) /* BUG: value */
			abort();
	} else {
		sem_post(&s);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&s, 0, 1);
	pthread_create(&t, NULL, works, NULL);
	pthread_create(&u, NULL, looks, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
