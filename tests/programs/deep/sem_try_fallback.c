/*
 * check-name: when no slot is free, a spare one is used that only one may use
 * check-command: heddle check --deep -- $exe
 * check-finds: assert spare
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t slots;
static atomic_int spare;

static void *client(void *arg)
{
	if (sem_trywait(&slots) == 0) {
		sem_post(&slots);
	} else {
		int others = atomic_fetch_add(&spare, 1);

		assert(others == 0); /* BUG: spare */
		atomic_fetch_sub(&spare, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	sem_init(&slots, 0, 1);
	pthread_create(&t1, NULL, client, NULL);
	natural(1);
	pthread_create(&t2, NULL, client, NULL);
	natural(1);
	pthread_create(&t3, NULL, client, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
