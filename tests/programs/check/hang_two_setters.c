/*
 * check-name: two threads set a state, one resets it: the last write decides whether the wait ends
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: hang wait
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void *setter(void *arg)
{
	atomic_store(&state, 1);
	return arg;
}

static void *clearer(void *arg)
{
	int was = 2;

	atomic_compare_exchange_strong(&state, &was, 3);
	forced(2);
	atomic_store(&state, 2);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, clearer, NULL);
	natural(1);
	pthread_create(&u, NULL, setter, NULL);
	natural(2);
	forced(4);
	while (atomic_load(&state) != 1) /* BUG: wait */
		;
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
