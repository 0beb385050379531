/*
 * check-name: who finds the table being made uses the fallback, which nobody has made
 * check-command: heddle check --deep -- $exe
 * check-finds: null fallback
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int the_table[2] = {1, 2};
static int *_Atomic table, *_Atomic fallback;
static atomic_int making;
static atomic_int got;

static int *get(void)
{
	int *t = atomic_load(&table);

	if (t)
		return t;
	if (atomic_exchange(&making, 1))
		return atomic_load(&fallback);
	atomic_store(&table, the_table);
	return the_table;
}

static void *user(void *arg)
{
	atomic_store(&got, *(volatile int *)get()); /* BUG: fallback */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
