/*
 * check-name: a barrier for three that only two threads reach
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: deadlock: every thread waits
 * check-error-contains: waits for pthread_barrier_wait
 */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *arrive(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, arrive, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
