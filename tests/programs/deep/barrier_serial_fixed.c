/*
 * check-name: in each round exactly one thread gets PTHREAD_BARRIER_SERIAL_THREAD
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int chiefs[2];

static void *meets(void *arg)
{
	for (int round = 0; round < 2; round++) {
		if ((long)arg == round)
			natural(1);
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(&chiefs[round], 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, meets, (void *)0);
	pthread_create(&u, NULL, meets, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(chiefs[0] == 1 && chiefs[1] == 1);
	return 0;
}
