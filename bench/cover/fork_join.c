/* Fork-join: threads that share nothing but their start and end (blackscholes, swaptions). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, OPTIONS = 64 };

static int nthreads;
static float prices[OPTIONS], strikes[OPTIONS];

static void *price(void *arg)
{
	long id = (long)arg;

	for (int i = (int)id; i < OPTIONS; i += nthreads)
		prices[i] = strikes[i] > 1.0f ? strikes[i] - 1.0f : 0.0f;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MOST];
	int scale;

	if (argc < 3)
		return 1;
	nthreads = atoi(argv[1]);
	scale = atoi(argv[2]);
	if (scale < 0) {
		fprintf(stderr, "a negative scale\n");
		return 1;
	}
	for (int i = 0; i < OPTIONS; i++)
		strikes[i] = (float)scale;
	for (long i = 0; i < nthreads; i++)
		pthread_create(&t[i], NULL, price, (void *)i);
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
