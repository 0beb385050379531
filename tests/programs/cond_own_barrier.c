/*
 * check-name: a barrier made of a mutex and a condition variable, with generations
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 4 threads met 8 times
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { THREADS = 4, MEETINGS = 8 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	int here, generation;
} meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static int arrived[THREADS];

static void meet(void)
{
	pthread_mutex_lock(&meeting.lock);
	int generation = meeting.generation;
	if (++meeting.here == THREADS) {
		meeting.here = 0;
		meeting.generation++;
		pthread_cond_broadcast(&meeting.all_here);
	}
	while (generation == meeting.generation)
		pthread_cond_wait(&meeting.all_here, &meeting.lock);
	pthread_mutex_unlock(&meeting.lock);
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 1; i <= MEETINGS; i++) {
		arrived[me] = i;
		meet();
		for (int k = 0; k < THREADS; k++)
			assert(arrived[k] == i);
		meet();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS];

	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d threads met %d times\n", THREADS, MEETINGS);
	return 0;
}
