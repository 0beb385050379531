/*
 * check-name: an index that changes but stays inside: which element is meant depends on the schedule
 * check-command: heddle branches -- $exe
 * check-branch: unclear slot
 * check-branch-kind: array index slot
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int at;
static volatile int slots[4];

static void *writer(void *arg)
{
	slots[at] = 7; /* BRANCH: slot */
	return arg;
}

static void *mover(void *arg)
{
	at = 3;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	natural(1);
	pthread_create(&t2, NULL, mover, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
