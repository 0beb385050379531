/*
 * check-name: Fusion, Fig. 7: two writes of one value: the model of recorded values has the bug too
 * check-command: heddle check --model=mcm -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert early
 * check-finds: race y
 * check-force: SIGABRT
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
	x = 1 + a;
	sem_post(&l);
	forced(2);
	y = 1 + a; /* BUG: y */
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
		assert(y == 1); /* BUG: early y */
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
