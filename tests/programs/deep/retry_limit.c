/*
 * check-name: after three failed attempts a value is written by force, and somebody else's is lost
 * check-command: heddle check --deep -- $exe
 * check-finds: assert sum
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ATTEMPTS = 3, OTHERS = 4 };
static atomic_int counter;

static void *stubborn(void *arg)
{
	int old = atomic_load(&counter), next = 0, i;

	for (i = 0; i < ATTEMPTS; i++) {
		next = old + 1;
		if (atomic_compare_exchange_strong(&counter, &old, next))
			break;
	}
	if (i == ATTEMPTS)
		atomic_store(&counter, next);
	return arg;
}

static void *other(void *arg)
{
	natural(1);
	for (int i = 0; i < OTHERS; i++)
		atomic_fetch_add(&counter, 1);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, stubborn, NULL);
	pthread_create(&t2, NULL, other, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(atomic_load(&counter) == 1 + OTHERS); /* BUG: sum */
	return 0;
}
