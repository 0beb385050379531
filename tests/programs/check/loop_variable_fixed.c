/*
 * check-name: threads are given a number each
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static int seen[4];

static void *worker(void *arg)
{
	const int *number = arg;

	forced(1);
	seen[*number & 3] = 1;
	return NULL;
}

int main(void)
{
	int numbers[2] = {0, 1};
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, worker, &numbers[i]);
		natural(1);
	}
	for (int k = 0; k < 2; k++)
		pthread_join(t[k], NULL);
	return seen[3];
}
