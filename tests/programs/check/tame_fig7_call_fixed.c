/*
 * check-name: Tame, Fig. 7, each thread with an object of its own
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
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
static struct object *o[2];
static int result;

static void *first(void *arg)
{
	o[0] = &c1;
	forced(2);
	result = o[0]->m();
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	o[1] = &c2;
	o[1] = NULL;
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
