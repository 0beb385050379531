/*
 * Barriers, of the shape of SPLASH-2's lu: blocks of a matrix belong to threads, which take their number
 * under a lock and meet at a barrier after each part of a step.
 *
 * context lu-1: slave>solve:{interior}@T1,slave>solve:{interior}@T2,slave>solve:{interior}@T3,main>slave>solve:{interior}@T0
 * branches: 8
 * context lu-2: slave>solve:{diagonal}@T1,slave>solve:{diagonal}@T2,slave>solve:{diagonal}@T3,main>slave>solve:{diagonal}@T0
 * branches: 8
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, BLOCKS = 4, ROWS = 2, COLUMNS = 2 };

static struct {
	pthread_mutex_t idlock;
	pthread_barrier_t start;
	unsigned id;
	unsigned nblocks;
} global;

static int block[BLOCKS][BLOCKS];

static unsigned owner(unsigned i, unsigned j)
{
	return i % ROWS * COLUMNS + j % COLUMNS;
}

static void solve(unsigned me)
{
	unsigned n = global.nblocks;

	for (unsigned k = 0; k < n; k++) {
		if (owner(k, k) == me) /* HERE: diagonal */
			block[k][k] += (int)k + 1;
		pthread_barrier_wait(&global.start);
		for (unsigned i = k + 1; i < n; i++) {
			if (owner(i, k) == me)
				block[i][k] -= block[k][k];
			if (owner(k, i) == me)
				block[k][i] -= block[k][k];
		}
		pthread_barrier_wait(&global.start);
		for (unsigned i = k + 1; i < n; i++)
			for (unsigned j = k + 1; j < n; j++)
				if (owner(i, j) == me) /* HERE: interior */
					block[i][j] -= block[i][k] * block[k][j];
		pthread_barrier_wait(&global.start);
	}
}

static void *slave(void *arg)
{
	unsigned me;

	pthread_mutex_lock(&global.idlock);
	me = global.id;
	global.id++;
	pthread_mutex_unlock(&global.idlock);
	solve(me);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	int sum = 0;

	global.id = 0;
	global.nblocks = BLOCKS;
	pthread_mutex_init(&global.idlock, NULL);
	pthread_barrier_init(&global.start, NULL, THREADS);
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
