/*
 * check-name: the last user frees, but one of the two looks at it once more when he is not the last
 * check-command: heddle check --deep -- $exe
 * check-finds: use-after-free object
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int users;
	volatile int log;
};
static struct object *object;

static void *first(void *arg)
{
	struct object *o = object;

	natural(1);
	if (atomic_fetch_sub(&o->users, 1) == 1)
		free(o);
	else
		o->log = 1; /* BUG: object */
	return arg;
}

static void *second(void *arg)
{
	struct object *o = object;

	if (atomic_fetch_sub(&o->users, 1) == 1)
		free(o); /* BUG: object */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	object = calloc(1, sizeof *object);
	atomic_store(&object->users, 2);
	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
