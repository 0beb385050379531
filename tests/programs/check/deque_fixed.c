/*
 * check-name: a deque without locks: the owner takes from one end, the thief from the other
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long top, bottom = 2;
static atomic_int item[2] = {0, 1}, taken[2];

static int take(void)
{
	long b = atomic_fetch_sub(&bottom, 1) - 1, t = atomic_load(&top);
	int x = -1;

	if (t < b)
		return atomic_load(&item[b]);
	if (t == b) {
		x = atomic_load(&item[b]);
		if (!atomic_compare_exchange_strong(&top, &t, t + 1))
			x = -1;
	}
	atomic_store(&bottom, b + 1);
	return x;
}

static int steal(void)
{
	long t = atomic_load(&top), b = atomic_load(&bottom);
	int x;

	if (t >= b)
		return -1;
	x = atomic_load(&item[t]);
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? x : -1;
}

static void *thief(void *arg)
{
	int x;

	natural(1);
	x = steal();
	if (x >= 0)
		atomic_fetch_add(&taken[x], 1);
	return arg;
}

static void *owner(void *arg)
{
	for (int i = 0; i < 2; i++) {
		int x = take();

		if (x >= 0)
			atomic_fetch_add(&taken[x], 1);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, thief, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < 2; i++)
		assert(atomic_load(&taken[i]) <= 1);
	return 0;
}
