/* A fixed number of barriers, and an inverse transform on request (fft). */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 16, POINTS = 32 };

static pthread_barrier_t bar;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int nthreads, inverse, sum;
static int x[POINTS], y[POINTS];

static void *transform(void *arg)
{
	int id = (int)(long)arg, per = POINTS / nthreads;

	for (int i = id * per; i < (id + 1) * per; i++)
		y[i] = x[POINTS - 1 - i];
	pthread_barrier_wait(&bar);
	for (int i = id * per; i < (id + 1) * per; i++)
		x[i] = y[i] * 2;
	pthread_barrier_wait(&bar);
	if (inverse) {
		pthread_mutex_lock(&m);
		sum += x[id];
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MOST];

	if (argc < 3)
		return 1;
	nthreads = atoi(argv[1]);
	inverse = argv[2][0] == 'i';
	pthread_barrier_init(&bar, NULL, (unsigned)nthreads);
	for (long i = 1; i < nthreads; i++)
		pthread_create(&t[i], NULL, transform, (void *)i);
	transform((void *)0);
	for (int i = 1; i < nthreads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
