/*
 * check-name: two threads try for one unit of a semaphore that is given back in one case only
 * check-command: heddle check --deep -- $exe
 * check-finds: hang unit
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t units;
static atomic_int first;

static void *user(void *arg)
{
	while (sem_trywait(&units)) /* BUG: unit */
		sched_yield();
	if (atomic_exchange(&first, (int)(long)arg) == 0 && arg == (void *)1)
		return NULL;
	sem_post(&units);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&units, 0, 1);
	pthread_create(&t, NULL, user, (void *)2);
	natural(1);
	pthread_create(&u, NULL, user, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
