/*
 * check-name: Tame, Fig. 8, both names for one object: the last write is seen
 * check-command: heddle branches -- $exe
 * check-branch: unclear field
 */
#include "../check/order.h"
#include <pthread.h>

struct object {
	volatile int x;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object one;
static struct object *volatile o = &one, *volatile o2 = &one;
static volatile int done;

static void *first(void *arg)
{
	pthread_mutex_lock(&lock);
	if (o->x > 0) /* BRANCH: field */
		done = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *second(void *arg)
{
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

	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
