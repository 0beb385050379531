/*
 * check-name: an annotation that does not exist
 * check-command: heddle branches -- $exe
 * check-branch: bad flag
 * must-fail: bad annotation 'check-branch': no class 'bad'
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
