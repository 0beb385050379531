/*
 * check-name: one barrier through a hundred phases; exactly one serial thread in each
 * check-seeds: 100
 * check-output:
 * 100 phases, 100 serial threads, nobody early
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, PHASES = 100 };

static pthread_barrier_t barrier;
static int phase[THREADS], serial[THREADS];

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int p = 1; p <= PHASES; p++) {
		phase[me] = p;
		int r = pthread_barrier_wait(&barrier);
		serial[me] += r == PTHREAD_BARRIER_SERIAL_THREAD;
		for (int i = 0; i < THREADS; i++)
			assert(phase[i] == p);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS], all = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		all += serial[i];
	}
	pthread_barrier_destroy(&barrier);
	printf("%d phases, %d serial threads, nobody early\n", PHASES, all);
	return 0;
}
