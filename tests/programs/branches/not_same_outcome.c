/*
 * check-name: the value depends on the order, what is decided with it does not
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not positive
 * check-branch: not range
 */
#include <pthread.h>

static volatile int level = 1, positive, wrong;

static void *raiser(void *arg)
{
	level = 5;
	return arg;
}

static void *lowerer(void *arg)
{
	level = 2;
	return arg;
}

static void *looker(void *arg)
{
	int n = level;

	if (n > 0) /* BRANCH: positive */
		positive = 1;
	if (n * 2 > 10) /* BRANCH: range */
		wrong = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, raiser, NULL);
	pthread_create(&t2, NULL, lowerer, NULL);
	pthread_create(&t3, NULL, looker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
