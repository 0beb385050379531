/*
 * A reader that must see both of a writer's updates or none. FAIL(bad) is how the program writes its
 * failure; KEEP keeps the lock between the two reads and writes.
 */
#ifndef CHECK_FAIL_SHAPES_H
#define CHECK_FAIL_SHAPES_H

#include "order.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void between(void)
{
#ifndef KEEP
	pthread_mutex_unlock(&m);
	forced(2);
	pthread_mutex_lock(&m);
#endif
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&m);
	a = 1;
	between();
	b = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *reader(void *arg);

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	natural(2);
	forced(1);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}

#define READ_BOTH(p, q)                                                                            \
	int p, q;                                                                                  \
	pthread_mutex_lock(&m);                                                                    \
	p = a;                                                                                     \
	between_reads();                                                                           \
	q = b;                                                                                     \
	pthread_mutex_unlock(&m)

static void between_reads(void)
{
#ifndef KEEP
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
}

#endif
