/*
 * check-name: sor: relaxation in two halves with a barrier made of a lock and a condition between the steps
 * check-command: heddle branches -- $exe
 * check-branch: any last
 * check-branch: may wait
 * check-branch: not value
 */
#include <pthread.h>
#include <stdlib.h>

enum { N = 2, STEPS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int left = N, resets;
static int cells[N + 2] = {8, 0, 0, 8};

static void barrier(void)
{
	pthread_mutex_lock(&lock);
	if (--left == 0) { /* BRANCH: last */
		left = N;
		resets++;
		pthread_cond_broadcast(&go);
	} else {
		int r = resets;

		while (r == resets) /* BRANCH: wait */
			pthread_cond_wait(&go, &lock);
	}
	pthread_mutex_unlock(&lock);
}

static void *relax(void *arg)
{
	int i = (int)(long)arg;

	for (int s = 0; s < STEPS; s++) {
		int next = (cells[i - 1] + cells[i + 1]) / 2;

		barrier();
		cells[i] = next;
		barrier();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (long i = 0; i < N; i++)
		pthread_create(&t[i], NULL, relax, (void *)(i + 1));
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	if (cells[1] != 6) /* BRANCH: value */
		abort();
	return 0;
}
