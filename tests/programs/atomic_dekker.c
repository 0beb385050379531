/*
 * check-name: Dekker's lock with sequentially consistent atomics
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * counter 40
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int wants[2], turn;
static int counter, inside;

static void lock(int me)
{
	atomic_store(&wants[me], 1);
	while (atomic_load(&wants[!me])) {
		if (atomic_load(&turn) == me) {
			sched_yield();
			continue;
		}
		atomic_store(&wants[me], 0);
		while (atomic_load(&turn) != me)
			sched_yield();
		atomic_store(&wants[me], 1);
	}
}

static void unlock(int me)
{
	atomic_store(&turn, !me);
	atomic_store(&wants[me], 0);
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < 20; i++) {
		lock(me);
		assert(!inside);
		inside = 1;
		counter++;
		inside = 0;
		unlock(me);
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
