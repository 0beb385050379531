/*
 * check-name: a slot is taken if there is one at once
 * check-command: heddle branches -- $exe
 * check-branch: any try
 * check-branch-kind: try try
 */
#include "../check/order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t slots;
static volatile int busy, refused;

static void *client(void *arg)
{
	if (sem_trywait(&slots) == 0) { /* BRANCH: try */
		busy = 1;
		sem_post(&slots);
	} else {
		refused = 1;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&slots, 0, 1);
	pthread_create(&t1, NULL, client, NULL);
	natural(1);
	pthread_create(&t2, NULL, client, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	sem_destroy(&slots);
	return 0;
}
