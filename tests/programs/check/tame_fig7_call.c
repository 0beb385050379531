/*
 * check-name: Tame, Fig. 7: which method is called depends on the object, and it may be null
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: null pointer dereference
 * check-finds: null use
 * check-finds: race o
 * check-allows: race 'o'
 * check-allows: atomicity 'o'
 * check-force: SIGSEGV
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
static struct object *volatile o;
static int result;

static void *first(void *arg)
{
	o = &c1; /* BUG: o */
	forced(2);
	result = o->m(); /* BUG: use */
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	o = &c2; /* BUG: o */
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
