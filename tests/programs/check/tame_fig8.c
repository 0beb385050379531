/*
 * check-name: Tame, Fig. 8, both names for one object: the last write is seen
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert seen
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

struct object {
	int x;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object one;
static struct object *o = &one, *o2 = &one;

static void *first(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	assert(o->x <= 0); /* BUG: seen */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	o->x = 1;
	o->x = 0;
	o2->x = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	o->x = 0;
	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
