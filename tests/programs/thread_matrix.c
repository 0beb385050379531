/*
 * check-name: matrix product, rows given out by a shared counter
 * check-seeds: 100
 * check-output:
 * trace 3240.000, all 9 rows done once, max error 0.0
 * check-output-end
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 9, THREADS = 3 };

static double a[N][N], b[N][N], c[N][N];
static int done[N], next_row;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take_row(void)
{
	pthread_mutex_lock(&lock);
	int row = next_row < N ? next_row++ : -1;
	pthread_mutex_unlock(&lock);
	return row;
}

static double dot(int i, int j)
{
	double sum = 0;

	for (int k = 0; k < N; k++)
		sum += a[i][k] * b[k][j];
	return sum;
}

static void *multiply(void *arg)
{
	int i;

	while ((i = take_row()) >= 0) {
		for (int j = 0; j < N; j++)
			c[i][j] = dot(i, j);
		done[i]++;
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	double trace = 0, error = 0;
	int once = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j / 2.0;
			b[i][j] = i * j / 4.0 + 1;
		}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, multiply, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++) {
		trace += c[i][i];
		once += done[i] == 1;
		for (int j = 0; j < N; j++)
			error = fmax(error, fabs(c[i][j] - dot(i, j)));
	}
	printf("trace %.3f, all %d rows done once, max error %.1f\n", trace, once, error);
	return 0;
}
