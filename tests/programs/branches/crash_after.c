/*
 * check-name: the way not taken uses what is not there yet
 * check-command: heddle branches -- $exe
 * check-branch: bug mode
 */
#include "../check/order.h"
#include <pthread.h>
#include <stddef.h>

struct job {
	int id;
};
static struct job *current;
static volatile int mode = 1, last;

static void *worker(void *arg)
{
	natural(1);
	if (mode == 0) /* BRANCH: mode */
		last = *(volatile int *)&current->id;
	return arg;
}

static void *starter(void *arg)
{
	mode = 0;
	mode = 2;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	pthread_create(&t2, NULL, starter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
