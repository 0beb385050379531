/*
 * Barriers, of the shape of SPLASH-2's lu: blocks of a matrix belong to threads, which take their number
 * under a lock and meet at a barrier after each part of a step.
 *
 * context lu-1: solve:{interior}@T1,solve:{interior}@T2,solve:{interior}@T3,solve:{interior}@T0
 * branches: 22
 * context lu-2: solve:{diagonal}@T1,solve:{diagonal}@T2,solve:{diagonal}@T3,solve:{diagonal}@T0
 * branches: 18
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, BLOCKS = 4, ROWS = 2, COLUMNS = 2 };

static struct {
	pthread_mutex_t idlock;
	pthread_barrier_t start;
	int id;
	int nblocks;
} *global;

static int block[BLOCKS][BLOCKS];

static int owner(int i, int j)
{
	return i % ROWS * COLUMNS + j % COLUMNS;
}

static void solve(int me)
{
	int n = global->nblocks;

	for (int k = 0; k < n; k++) {
		if (owner(k, k) == me) /* HERE: diagonal */
			block[k][k] += k + 1;
		pthread_barrier_wait(&global->start);
		for (int i = k + 1; i < n; i++) {
			if (owner(i, k) == me)
				block[i][k] -= block[k][k];
			if (owner(k, i) == me)
				block[k][i] -= block[k][k];
		}
		pthread_barrier_wait(&global->start);
		for (int i = k + 1; i < n; i++)
			for (int j = k + 1; j < n; j++)
				if (owner(i, j) == me) /* HERE: interior */
					block[i][j] -= block[i][k] * block[k][j];
		pthread_barrier_wait(&global->start);
	}
}

static void *slave(void *arg)
{
	int me;

	pthread_mutex_lock(&global->idlock);
	me = global->id;
	global->id++;
	pthread_mutex_unlock(&global->idlock);
	solve(me);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int sum = 0;

	global = malloc(sizeof *global);
	if (!global)
		return 1;
	global->id = 0;
	global->nblocks = argc > 1 ? atoi(argv[1]) : BLOCKS;
	if (global->nblocks < 1 || global->nblocks > BLOCKS)
		return 1;
	pthread_mutex_init(&global->idlock, NULL);
	pthread_barrier_init(&global->start, NULL, THREADS);
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++)
			block[i][j] = i * 3 + j;
	for (int i = 1; i < THREADS; i++)
		pthread_create(&t[i], NULL, slave, NULL);
	slave(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++)
			sum += block[i][j];
	printf("%d\n", sum);
	return 0;
}
