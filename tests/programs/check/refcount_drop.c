/*
 * check-name: a reference is dropped, and whether it was the last is asked afterwards
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: use after free
 * check-finds: use-after-free last
 * check-allows: race
 * check-allows: atomicity
 * check-force: asan heap-use-after-free
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int refs;
};

static void *user(void *arg)
{
	struct object *o = arg;

	atomic_fetch_sub(&o->refs, 1);
	forced(1);
	if (atomic_load(&o->refs) == 0) /* BUG: last */
		free(o); /* BUG: last */
	return NULL;
}

int main(void)
{
	struct object *o = malloc(sizeof(*o));
	pthread_t t1, t2;

	atomic_init(&o->refs, 2);
	pthread_create(&t1, NULL, user, o);
	natural(1);
	pthread_create(&t2, NULL, user, o);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
