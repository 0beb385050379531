/*
 * check-name: a thread is given its reference
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int refs;
	int value;
};

static void drop(struct object *o)
{
	if (atomic_fetch_sub(&o->refs, 1) == 1)
		free(o);
}

static void *user(void *arg)
{
	struct object *o = arg;

	forced(1);
	o->value++;
	drop(o);
	return NULL;
}

int main(void)
{
	struct object *o = calloc(1, sizeof(*o));
	pthread_t t;

	atomic_init(&o->refs, 2);
	pthread_create(&t, NULL, user, o);
	natural(1);
	drop(o);
	pthread_join(t, NULL);
	return 0;
}
