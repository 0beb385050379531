/*
 * check-name: Treiber's stack with a tag beside the index against ABA
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 24 pushed, 24 popped, sum 276, stack empty, every node free again
 * check-output-end
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, EACH = 8, NODES = THREADS * 2, NONE = 0xffffffff };

/* index in the low half, tag in the high one */
static _Atomic uint64_t top, free_list;
static struct { _Atomic uint32_t next; int value; } node[NODES];

static void push(_Atomic uint64_t *stack, uint32_t n)
{
	uint64_t old = atomic_load(stack), new;

	do {
		node[n].next = (uint32_t)old;
		new = ((old >> 32) + 1) << 32 | n;
	} while (!atomic_compare_exchange_weak(stack, &old, new));
}

static uint32_t pop(_Atomic uint64_t *stack)
{
	uint64_t old = atomic_load(stack), new;

	do {
		if ((uint32_t)old == NONE)
			return NONE;
		new = ((old >> 32) + 1) << 32 | node[(uint32_t)old].next;
	} while (!atomic_compare_exchange_weak(stack, &old, new));
	return (uint32_t)old;
}

static atomic_int popped, sum;

static void take_one(void)
{
	uint32_t n;

	while ((n = pop(&top)) == NONE)
		;
	atomic_fetch_add(&sum, node[n].value);
	atomic_fetch_add(&popped, 1);
	push(&free_list, n);
}

static void *run(void *arg)
{
	int first = *(int *)arg;

	for (int i = 0; i < EACH; i++) {
		uint32_t n;
		while ((n = pop(&free_list)) == NONE)
			;
		node[n].value = first + i;
		push(&top, n);
		take_one();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int first[THREADS], free_nodes = 0;

	top = free_list = NONE;
	for (uint32_t i = 0; i < NODES; i++)
		push(&free_list, i);
	for (int i = 0; i < THREADS; i++) {
		first[i] = i * EACH;
		pthread_create(&t[i], NULL, run, &first[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	while (pop(&free_list) != NONE)
		free_nodes++;
	printf("%d pushed, %d popped, sum %d, stack %s, %s free again\n", THREADS * EACH, popped,
		sum, pop(&top) == NONE ? "empty" : "not empty",
		free_nodes == NODES ? "every node" : "not every node");
	return 0;
}
