/*
 * check-name: Fusion, Fig. 11 with locks: one run does not have both branches that the bug needs
 * check-command: heddle check -- $exe 1
 * check-exit: 0
 * check-finds: nothing
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y, late;

static int get(int *v)
{
	int value;

	pthread_mutex_lock(&lock);
	value = *v;
	pthread_mutex_unlock(&lock);
	return value;
}

static void set(int *v, int value)
{
	pthread_mutex_lock(&lock);
	*v = value;
	pthread_mutex_unlock(&lock);
}

static void *foo(void *arg)
{
	if (late == 2)
		natural(1);
	if (get(&y) == 0) {
		forced(1);
		set(&x, 1);
		set(&x, get(&x) + 1);
	} else {
		set(&x, 0);
	}
	return arg;
}

static void *bar(void *arg)
{
	if (late == 1)
		natural(1);
	if (get(&x) == 0) {
		forced(1);
		set(&y, 1);
		set(&y, get(&y) + 1);
	} else {
		set(&y, 0);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t1, t2;

	late = argc > 1 && argv[1][0] == '2' ? 2 : 1;
	pthread_create(&t1, NULL, foo, NULL);
	pthread_create(&t2, NULL, bar, NULL);
	pthread_join(t2, NULL);
	pthread_join(t1, NULL);
	assert(x != y);
	return 0;
}
