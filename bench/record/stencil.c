/* Dense stencil: two grids of doubles, two threads, a barrier after each sweep. Argument: sweeps.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512, THREADS = 2 };

static double grid[2][N][N];
static pthread_barrier_t sweep_done;
static long sweeps;

static void sweep(double (*to)[N], double (*from)[N], int lo, int hi)
{
	for (int i = lo; i < hi; i++)
		for (int j = 1; j < N - 1; j++)
			to[i][j] =
				0.5 * from[i][j] + 0.125 * (from[i - 1][j] + from[i + 1][j] +
								   from[i][j - 1] + from[i][j + 1]);
}

static void *work(void *arg)
{
	int me = (int)(long)arg, rows = (N - 2) / THREADS;
	int lo = 1 + me * rows, hi = me == THREADS - 1 ? N - 1 : lo + rows;

	for (long s = 0; s < sweeps; s++) {
		sweep(grid[(s + 1) & 1], grid[s & 1], lo, hi);
		pthread_barrier_wait(&sweep_done);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	double sum = 0;

	sweeps = argc > 1 ? atol(argv[1]) : 2000;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			grid[0][i][j] = grid[1][i][j] = (i * 31 + j * 17) % 101;
	pthread_barrier_init(&sweep_done, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			sum += grid[sweeps & 1][i][j];
	printf("%.6f\n", sum);
	return 0;
}
