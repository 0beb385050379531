/*
 * check-name: the flag says that it is made before it is; who comes early makes his own
 * check-command: heddle check --deep -- $exe
 * check-finds: null object
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct object {
	volatile int uses;
};
static struct object shared, own;
static struct object *_Atomic object;
static atomic_int made;

static void *maker(void *arg)
{
	natural(1);
	atomic_store(&made, 1);
	atomic_store(&object, &shared);
	return arg;
}

static void *user(void *arg)
{
	if (atomic_load(&made))
		atomic_load(&object)->uses = 1; /* BUG: object */
	else
		own.uses = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, maker, NULL);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
