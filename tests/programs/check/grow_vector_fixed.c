/*
 * check-name: a vector is read and grown under its lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *items;
static long seen;

static void *reader(void *arg)
{
	long *p;

	pthread_mutex_lock(&lock);
	p = items;
	forced(2);
	seen = p[0];
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *grower(void *arg)
{
	long *bigger = malloc(8 * sizeof(*bigger)), *old;

	natural(1);
	forced(1);
	bigger[0] = 5;
	pthread_mutex_lock(&lock);
	old = items;
	items = bigger;
	pthread_mutex_unlock(&lock);
	free(old);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	items = malloc(4 * sizeof(*items));
	items[0] = 5;
	pthread_create(&t1, NULL, reader, NULL);
	pthread_create(&t2, NULL, grower, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(items);
	return seen != 5;
}
