/*
 * check-name: the motivating example of Fusion, y set before x in one region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int x, y;
static sem_t l;

static void *first(void *arg)
{
	int a = x;

	sem_wait(&l);
	y = 1 + a;
	x = 2 + a;
	sem_post(&l);
	forced(2);
	sem_wait(&l);
	x = 1 + a;
	sem_post(&l);
	return arg;
}

static void *second(void *arg)
{
	int b = 0;

	forced(1);
	sem_wait(&l);
	if (x > b)
		assert(y == 1);
	sem_post(&l);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&l, 0, 1);
	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	sem_destroy(&l);
	return 0;
}
