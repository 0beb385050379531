/*
 * check-name: two threads write the same values
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not on
 */
#include <pthread.h>

static volatile int on = 1, seen;

static void *starter(void *arg)
{
	on = 1;
	if (on) /* BRANCH: on */
		seen = 1;
	on = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, starter, NULL);
	pthread_create(&t2, NULL, starter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
