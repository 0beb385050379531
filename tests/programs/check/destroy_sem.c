/*
 * check-name: a semaphore is destroyed before its last post
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: destroyed while in use
 * check-finds: destroy in_use
 * check-allows: destroy
 * check-force: no, glibc does not notice
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ticks;

static void *ticker(void *arg)
{
	sem_post(&ticks);
	forced(2);
	sem_post(&ticks); /* BUG: in_use */
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&ticks, 0, 0);
	pthread_create(&t, NULL, ticker, NULL);
	sem_wait(&ticks);
	natural(1);
	sem_destroy(&ticks); /* BUG: in_use */
	pthread_join(t, NULL);
	return 0;
}
