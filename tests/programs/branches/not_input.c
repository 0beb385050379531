/*
 * check-name: a decision about the input, and one about memory that no other thread writes
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not input
 * check-branch: not own
 */
#include <pthread.h>
#include <stdlib.h>

static volatile int limit = 3, big[2], shared;

static void *worker(void *arg)
{
	int me = (int)(long)arg;
	volatile int *own = malloc(sizeof *own);

	*own = me + 2;
	if (*own > limit) /* BRANCH: input */
		big[me] = 1;
	shared = me;
	if (*own != me + 2) /* BRANCH: own */
		abort();
	free((void *)own);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, (void *)0);
	pthread_create(&t2, NULL, worker, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
