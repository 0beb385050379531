/*
 * check-name: a thread takes its reference itself, when the object may be gone
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: use after free
 * check-finds: use-after-free late
 * check-allows: race
 * check-force: asan heap-use-after-free
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
		free(o); /* BUG: late */
}

static void *user(void *arg)
{
	struct object *o = arg;

	forced(1);
	atomic_fetch_add(&o->refs, 1); /* BUG: late */
	o->value++;
	drop(o);
	return NULL;
}

int main(void)
{
	struct object *o = calloc(1, sizeof(*o));
	pthread_t t;

	atomic_init(&o->refs, 1);
	pthread_create(&t, NULL, user, o);
	natural(1);
	drop(o);
	pthread_join(t, NULL);
	return 0;
}
