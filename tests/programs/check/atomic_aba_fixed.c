/*
 * check-name: a stack whose top has a number that changes with every operation
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { NODES = 4, INDEX = NODES - 1 };
static atomic_uint next_of[NODES];
static atomic_uint top; /* index of the first node, above it a count of operations */

static unsigned pop(int steps)
{
	unsigned old = atomic_load(&top), next;

	do {
		next = atomic_load(&next_of[old & INDEX]);
		if (steps)
			forced(2);
	} while (!atomic_compare_exchange_strong(&top, &old, ((old | INDEX) + 1) | next));
	return old & INDEX;
}

static void push(unsigned n)
{
	unsigned old = atomic_load(&top);

	do {
		atomic_store(&next_of[n], old & INDEX);
	} while (!atomic_compare_exchange_strong(&top, &old, ((old | INDEX) + 1) | n));
}

static void *slow(void *arg)
{
	natural(1);
	pop(1);
	return arg;
}

static void *fast(void *arg)
{
	unsigned first;

	forced(1);
	first = pop(0);
	pop(0);
	push(first);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;
	unsigned left = 0;

	atomic_store(&next_of[1], 0);
	atomic_store(&next_of[2], 1);
	atomic_store(&next_of[3], 2);
	atomic_store(&top, 3);
	pthread_create(&t1, NULL, slow, NULL);
	pthread_create(&t2, NULL, fast, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	for (unsigned n = atomic_load(&top) & INDEX; n; n = atomic_load(&next_of[n]))
		left++;
	assert(left == 1);
	return 0;
}
