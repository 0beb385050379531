/*
 * check-name: a thread ends although another thread uses its variable
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: stack-use-after-return use
 * check-allows: race
 * check-force: no, the memory of the variable may stay accessible
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int *shown, seen;

static void *show(void *arg)
{
	int value = 3;

	shown = &value;
	sem_post(&ready);
	natural(1);
	return arg;
}

static void *look(void *arg)
{
	sem_wait(&ready);
	seen = *shown; /* BUG: use */
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&ready, 0, 0);
	pthread_create(&t, NULL, show, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return seen == 3 ? 0 : 1;
}
