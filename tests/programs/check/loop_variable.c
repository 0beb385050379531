/*
 * check-name: threads are given the address of the loop's variable
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'i'
 * check-finds: race i
 * check-allows: race 'i'
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>

static int seen[4];

static void *worker(void *arg)
{
	int *number = arg;

	forced(1);
	seen[*number & 3] = 1; /* BUG: i */
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int i;

	for (i = 0; i < 2; i++) { /* BUG: i */
		pthread_create(&t[i], NULL, worker, &i);
		natural(1);
	}
	for (int k = 0; k < 2; k++)
		pthread_join(t[k], NULL);
	return seen[3];
}
