/*
 * check-name: an index into a heap block that another thread moves past its end
 * check-command: heddle branches -- $exe
 * check-branch: bug slot
 * check-branch-kind: bounds slot
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static volatile int at;
static volatile int *block;

static void *writer(void *arg)
{
	block[at] = 7; /* BRANCH: slot */
	return arg;
}

static void *mover(void *arg)
{
	at = 4;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	block = calloc(4, sizeof *block);
	pthread_create(&t1, NULL, writer, NULL);
	natural(1);
	pthread_create(&t2, NULL, mover, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free((void *)block);
	return 0;
}
