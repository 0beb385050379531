/*
 * check-name: Tame, Fig. 5: what make() computes is not traced; with its y as recorded, x.f is as recorded
 * check-command: heddle branches --exclude make -- $exe
 * check-exit: 3
 * check-branch: unclear sum
 */
#include "../check/order.h"
#include <pthread.h>

struct x {
	int f;
};
static volatile int y, done;

__attribute__((noinline)) static void make(struct x *x, int v)
{
	x->f = v * v + 1;
}

static void *first(void *arg)
{
	struct x x;

	make(&x, y);
	if (x.f + y > 0) /* BRANCH: sum */
		done = 1;
	return arg;
}

static void *second(void *arg)
{
	y = -9;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
