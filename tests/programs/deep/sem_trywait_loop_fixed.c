/*
 * check-name: two threads try for one unit of a semaphore, and each gives it back
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static sem_t units;

static void *user(void *arg)
{
	while (sem_trywait(&units))
		sched_yield();
	sem_post(&units);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&units, 0, 1);
	pthread_create(&t, NULL, user, NULL);
	natural(1);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
