/*
 * check-name: ABA: a stack whose top is the same again, but what is below is not
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert top
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
	struct node *_Atomic next;
};
static struct node c, b, a;
static struct node *_Atomic top;
static struct node *taken;

static struct node *pop(int steps)
{
	struct node *n = atomic_load(&top), *next;

	do {
		next = atomic_load(&n->next);
		if (steps)
			forced(2);
	} while (!atomic_compare_exchange_strong(&top, &n, next));
	return n;
}

static void push(struct node *n)
{
	struct node *old = atomic_load(&top);

	do {
		atomic_store(&n->next, old);
	} while (!atomic_compare_exchange_strong(&top, &old, n));
}

static void *slow(void *arg)
{
	natural(1);
	pop(1);
	return arg;
}

static void *fast(void *arg)
{
	struct node *first;

	forced(1);
	first = pop(0);
	taken = pop(0);
	push(first);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	atomic_store(&c.next, NULL);
	atomic_store(&b.next, &c);
	atomic_store(&a.next, &b);
	atomic_store(&top, &a);
	pthread_create(&t1, NULL, slow, NULL);
	pthread_create(&t2, NULL, fast, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(atomic_load(&top) != taken); /* BUG: top */
	return 0;
}
