/*
 * check-name: two phases and no barrier between them
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-output-contains: data race on 'cell
 * check-finds: assert phase
 * check-finds: race cell
 * check-allows: race 'cell
 * check-allows: assert
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static int cell[2];

static void *worker(void *arg)
{
	int i = (int)(intptr_t)arg;

	forced(i);
	cell[i] = i + 1; /* BUG: cell */
	natural(1);
	assert(cell[1 - i] == 2 - i); /* BUG: phase cell */
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
