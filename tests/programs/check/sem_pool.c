/*
 * check-name: two units are taken one by one from a pool of two
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock second
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *worker(void *arg)
{
	sem_wait(&units);
	forced(1);
	sem_wait(&units); /* BUG: second */
	sem_post(&units);
	sem_post(&units);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&units, 0, 2);
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	sem_destroy(&units);
	return 0;
}
