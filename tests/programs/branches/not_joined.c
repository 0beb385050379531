/*
 * check-name: what the threads wrote is looked at when they have ended, and before they start
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not before
 * check-branch: not after
 */
#include <pthread.h>

static volatile int a, b, before, after;

static void *writer(void *arg)
{
	*(volatile int *)arg = 1;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	if (a == 0) /* BRANCH: before */
		before = 1;
	pthread_create(&t1, NULL, writer, (void *)&a);
	pthread_create(&t2, NULL, writer, (void *)&b);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (a + b == 2) /* BRANCH: after */
		after = 1;
	return 0;
}
