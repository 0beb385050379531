/*
 * check-name: a lock-free stack without tags: some schedule makes ABA of it
 * check-command: heddle exec --seeds=2000 --switch=access -- $exe
 * check-exit: 66
 * check-error-contains: assertion failure
 * check-error-contains: Assertion `!taken[n]' failed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { NODES = 3, NONE = -1 };

static atomic_int top = NONE;
static struct { atomic_int next; } node[NODES];
static atomic_bool taken[NODES];

static void push(int n)
{
	int old = atomic_load(&top);

	do
		atomic_store(&node[n].next, old);
	while (!atomic_compare_exchange_strong(&top, &old, n));
}

static int pop(void)
{
	int old = atomic_load(&top);

	while (old != NONE &&
		!atomic_compare_exchange_strong(&top, &old, atomic_load(&node[old].next)))
		;
	return old;
}

static int take(void)
{
	int n = pop();

	if (n != NONE) {
		assert(!taken[n]);
		taken[n] = true;
	}
	return n;
}

static void give(int n)
{
	if (n == NONE)
		return;
	taken[n] = false;
	push(n);
}

static void *run(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int a = take(), b = take();
		give(a);
		give(b);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < NODES; i++)
		push(i);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
