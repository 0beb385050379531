/*
 * check-name: an object without users is put back into use by a search that does not ask for their number
 * check-command: heddle check --deep -- $exe
 * check-finds: assert users
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int users = 1, dead;

static void *putter(void *arg)
{
	if (atomic_fetch_sub(&users, 1) == 1)
		atomic_store(&dead, 1);
	return arg;
}

static void *searcher(void *arg)
{
	natural(1);
	if (!atomic_load(&dead)) {
		atomic_fetch_add(&users, 1);
		assert(!atomic_load(&dead)); /* BUG: users */
		atomic_fetch_sub(&users, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, putter, NULL);
	pthread_create(&t2, NULL, searcher, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
