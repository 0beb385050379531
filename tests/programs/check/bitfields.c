/*
 * check-name: two bit-fields of one word, set by two threads
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race
 * check-finds: race flags
 * check-allows: race
 * check-allows: atomicity
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>

static struct {
	unsigned open : 1, dirty : 1, rest : 30;
} flags;

static void *opener(void *arg)
{
	flags.open = 1; /* BUG: flags */
	return arg;
}

static void *writer(void *arg)
{
	natural(1);
	flags.dirty = 1; /* BUG: flags */
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
