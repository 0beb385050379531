/*
 * check-name: a branch that no schedule changes, said to be one
 * check-command: heddle branches -- $exe
 * check-branch: any sum
 * must-fail: check-branch: any sum: not reported
 */
#include <pthread.h>

static volatile int sum, seen;

static void *worker(void *arg)
{
	sum = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	if (sum) /* BRANCH: sum */
		seen = 1;
	return 0;
}
