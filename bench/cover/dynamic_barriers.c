/* A number of barriers that depends on the input, in lock-step (lu). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_barrier_t bar;
static int nthreads, blocks;
static int a[MOST];

static void *factor(void *arg)
{
	int id = (int)(long)arg;

	for (int k = 0; k < blocks; k++) {
		if (k % nthreads == id)
			a[id] += k;
		pthread_barrier_wait(&bar);
		a[id]++;
		pthread_barrier_wait(&bar);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MOST];

	if (argc < 3)
		return 1;
	nthreads = atoi(argv[1]);
	blocks = atoi(argv[2]);
	if (blocks <= 0) {
		printf("no blocks\n");
		return 1;
	}
	pthread_barrier_init(&bar, NULL, (unsigned)nthreads);
	for (long i = 1; i < nthreads; i++)
		pthread_create(&t[i], NULL, factor, (void *)i);
	factor((void *)0);
	for (int i = 1; i < nthreads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
