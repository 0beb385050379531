/*
 * check-name: the same block freed by two threads
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: double free
 * check-error-contains: freed by thread T
 */
#include <pthread.h>
#include <stdlib.h>

static void *release(void *arg)
{
	free(arg);
	return NULL;
}

int main(void)
{
	void *p = malloc(100);
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, release, p);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
