/*
 * check-name: a branch of which the comment says nothing
 * check-command: heddle branches -- $exe
 * check-branch: none
 * must-fail: a report too many
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
