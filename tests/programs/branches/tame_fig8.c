/*
 * check-name: Tame, Fig. 8: two objects with a field of the same name; the region leaves it as it was
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not field
 */
#include <pthread.h>

struct object {
	int x;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object one, two;
static struct object *volatile o = &one, *volatile o2 = &two;
static volatile int done;

static void *first(void *arg)
{
	o->x = 0;
	pthread_mutex_lock(&lock);
	if (o->x > 0) /* BRANCH: field */
		done = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&lock);
	*(volatile int *)&o->x = 1;
	*(volatile int *)&o->x = 0;
	o2->x = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
