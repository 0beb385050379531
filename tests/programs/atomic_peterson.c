/*
 * check-name: Peterson's lock with sequentially consistent atomics
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * counter 50
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int wants[2], turn;
static int counter, inside;

static void *run(void *arg)
{
	int me = *(int *)arg, other = 1 - me;

	for (int i = 0; i < 25; i++) {
		atomic_store(&wants[me], 1);
		atomic_store(&turn, other);
		while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
			sched_yield();
		assert(inside == 0);
		inside = 1;
		counter++;
		inside = 0;
		atomic_store(&wants[me], 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int id[2] = {0, 1};

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, &id[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("counter %d\n", counter);
	return 0;
}
