/*
 * check-name: a semaphore in a loop of timed waits
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t units;

static void *giver(void *arg)
{
	natural(1);
	sem_post(&units);
	return arg;
}

int main(void)
{
	struct timespec soon = {.tv_sec = 1};
	pthread_t t;

	sem_init(&units, 0, 0);
	pthread_create(&t, NULL, giver, NULL);
	while (sem_timedwait(&units, &soon))
		;
	pthread_join(t, NULL);
	return 0;
}
