/* Barriers, and a reduction in a tree of semaphores in every round (radix). */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_barrier_t bar;
static sem_t ready[MOST];
static int nthreads, digits;
static int count[MOST];

static void reduce(int id)
{
	for (int step = 1; step < nthreads; step *= 2) {
		if (id & step) {
			sem_post(&ready[id]);
			return;
		}
		if (id + step < nthreads) {
			sem_wait(&ready[id + step]);
			count[id] += count[id + step];
		}
	}
}

static void *sort(void *arg)
{
	int id = (int)(long)arg;

	for (int d = 0; d < digits; d++) {
		count[id] = d;
		pthread_barrier_wait(&bar);
		reduce(id);
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
	digits = atoi(argv[2]);
	pthread_barrier_init(&bar, NULL, (unsigned)nthreads);
	for (int i = 0; i < nthreads; i++)
		sem_init(&ready[i], 0, 0);
	for (long i = 1; i < nthreads; i++)
		pthread_create(&t[i], NULL, sort, (void *)i);
	sort((void *)0);
	for (int i = 1; i < nthreads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
