/*
 * check-name: a product of two values that change, and a floating-point value that does
 * check-command: heddle branches -- $exe
 * check-branch: unclear product
 * check-branch: may real
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int a = 3, b = 5, over;
static volatile double speed = 1.5;

static void *looker(void *arg)
{
	if (a * b > 20) /* BRANCH: product */
		over = 1;
	if (speed * 2.0 > 4.0) /* BRANCH: real */
		over = 2;
	return arg;
}

static void *writer(void *arg)
{
	a = 7;
	b = 9;
	speed = 2.5;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, looker, NULL);
	natural(1);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
