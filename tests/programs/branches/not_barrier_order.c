/*
 * check-name: a barrier stands between the writes and the looks
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not neighbour
 */
#include <pthread.h>

static pthread_barrier_t barrier;
static volatile int mine[2], seen[2];

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	mine[me] = 1;
	pthread_barrier_wait(&barrier);
	if (mine[1 - me]) /* BRANCH: neighbour */
		seen[me] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t1, NULL, worker, (void *)0);
	pthread_create(&t2, NULL, worker, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}
