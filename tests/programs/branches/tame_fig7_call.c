/*
 * check-name: Tame, Fig. 7: which m() is called depends on the object, and the object may be null
 * check-command: heddle branches -- $exe
 * check-branch: bug call
 * check-branch-kind: pointer dereference call
 */
#include "../check/order.h"
#include <pthread.h>
#include <stddef.h>

struct object {
	int (*m)(void);
};

static int one(void)
{
	return 1;
}

static int two(void)
{
	return 2;
}

static struct object c1 = {one}, c2 = {two};
static struct object *volatile o;
static int result;

static void *first(void *arg)
{
	o = &c1;
	result = o->m(); /* BRANCH: call */
	return arg;
}

static void *second(void *arg)
{
	o = &c2;
	o = NULL;
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
	return result != 1;
}
