/*
 * check-name: who finds the table being made uses a fallback that was there from the beginning
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int table, making;

static int get(void)
{
	int t = atomic_load(&table);

	if (t)
		return t;
	if (atomic_exchange(&making, 1))
		return 7;
	atomic_store(&table, 9);
	return 9;
}

static void *user(void *arg)
{
	assert(get());
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
