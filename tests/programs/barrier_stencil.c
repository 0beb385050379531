/*
 * check-name: a stencil over two arrays, each step ended by a barrier, as computed by one thread
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * checksum 11836 after 8 steps, equal to the sequential one
 * one serial thread in each of 8 phases
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

enum { CELLS = 24, THREADS = 3, STEPS = 8 };

static int grid[2][CELLS], twin[2][CELLS];
static int serial[THREADS][STEPS];
static pthread_barrier_t barrier;

static int next(const int *from, int i)
{
	return (from[(i + CELLS - 1) % CELLS] + from[i] + from[(i + 1) % CELLS]) % 1000;
}

static void *compute(void *arg)
{
	int me = *(int *)arg;

	for (int s = 0; s < STEPS; s++) {
		for (int i = me * CELLS / THREADS; i < (me + 1) * CELLS / THREADS; i++)
			grid[(s + 1) % 2][i] = next(grid[s % 2], i);
		serial[me][s] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS], sum = 0, differ = 0, phases = 0;

	for (int i = 0; i < CELLS; i++)
		grid[0][i] = twin[0][i] = i;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, compute, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&barrier);
	for (int s = 0; s < STEPS; s++)
		for (int i = 0; i < CELLS; i++)
			twin[(s + 1) % 2][i] = next(twin[s % 2], i);
	for (int i = 0; i < CELLS; i++) {
		sum += grid[STEPS % 2][i];
		differ += grid[STEPS % 2][i] != twin[STEPS % 2][i];
	}
	for (int s = 0; s < STEPS; s++)
		phases += serial[0][s] + serial[1][s] + serial[2][s] == 1;
	printf("checksum %d after %d steps, %s to the sequential one\n", sum, STEPS,
		differ ? "not equal" : "equal");
	printf("one serial thread in each of %d phases\n", phases);
	return 0;
}
