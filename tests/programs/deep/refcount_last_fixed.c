/*
 * check-name: the last user frees, and nobody looks at it who has let go of it
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
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

static void *user(void *arg)
{
	struct object *o = object;

	if (arg)
		o->log = 1;
	if (atomic_fetch_sub(&o->users, 1) == 1)
		free(o);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	object = calloc(1, sizeof *object);
	atomic_store(&object->users, 2);
	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	pthread_create(&t2, NULL, user, &t1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
