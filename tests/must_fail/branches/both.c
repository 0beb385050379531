/*
 * check-name: nothing and something at once
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: bug flag
 * must-fail: or both
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
