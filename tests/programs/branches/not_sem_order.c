/*
 * check-name: a semaphore orders the write before the look
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not set
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static volatile int value, seen;

static void *giver(void *arg)
{
	value = 1;
	sem_post(&ready);
	return arg;
}

static void *taker(void *arg)
{
	sem_wait(&ready);
	if (value) /* BRANCH: set */
		seen = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&ready, 0, 0);
	pthread_create(&t1, NULL, giver, NULL);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	sem_destroy(&ready);
	return 0;
}
