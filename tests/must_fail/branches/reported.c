/*
 * check-name: a branch that is reported and must not be
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not flag
 * must-fail: check-branch: not flag
 */
#include <pthread.h>

static volatile int flag, seen;

static void *setter(void *arg)
{
	flag = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, setter, NULL);
	if (flag) /* BRANCH: flag */
		seen = 1;
	pthread_join(t, NULL);
	return 0;
}
