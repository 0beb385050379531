/*
 * check-name: two flags with a byte each
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static struct {
	unsigned char open, dirty;
	unsigned rest;
} flags;

static void *opener(void *arg)
{
	flags.open = 1;
	return arg;
}

static void *writer(void *arg)
{
	natural(1);
	flags.dirty = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, opener, NULL);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return flags.rest;
}
