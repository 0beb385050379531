/*
 * check-name: dropping a reference says whether it was the last
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
};

static void *user(void *arg)
{
	struct object *o = arg;

	forced(1);
	if (atomic_fetch_sub(&o->refs, 1) == 1)
		free(o);
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
