/* Barrier-phased computation: LU factors of a matrix, rows dealt out to two threads, one barrier a
 * column; then prefix sums of the diagonal by doubling. Argument: order of the matrix. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

static double *a, *sums[2];
static long n;
static pthread_barrier_t phase;

static void eliminate(long k, long i)
{
	double *row = a + i * n, *pivot = a + k * n, f = row[k] / pivot[k];

	row[k] = f;
	for (long j = k + 1; j < n; j++)
		row[j] -= f * pivot[j];
}

static void *work(void *arg)
{
	long me = (long)arg;
	int from = 0;

	for (long k = 0; k < n - 1; k++) {
		for (long i = k + 1; i < n; i++)
			if (i % THREADS == me)
				eliminate(k, i);
		pthread_barrier_wait(&phase);
	}
	for (long i = me; i < n; i += THREADS)
		sums[0][i] = a[i * n + i];
	pthread_barrier_wait(&phase);
	for (long d = 1; d < n; d *= 2, from ^= 1) {
		for (long i = me; i < n; i += THREADS)
			sums[!from][i] = sums[from][i] + (i >= d ? sums[from][i - d] : 0);
		pthread_barrier_wait(&phase);
	}
	return from ? sums[1] : sums[0];
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	void *result = NULL;

	n = argc > 1 ? atol(argv[1]) : 1500;
	a = malloc((size_t)(n * n) * sizeof *a);
	sums[0] = calloc((size_t)n, sizeof(double));
	sums[1] = calloc((size_t)n, sizeof(double));
	if (!a || !sums[0] || !sums[1] || n < 2)
		abort();
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++)
			a[i * n + j] =
				(double)((i * 37 + j * 101) % 251) / 251 + (i == j ? (double)n : 0);
	pthread_barrier_init(&phase, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], &result);
	printf("%.6f\n", ((double *)result)[n - 1]);
	return 0;
}
