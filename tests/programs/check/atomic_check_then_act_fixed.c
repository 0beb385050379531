/*
 * check-name: a limit that is checked and used by one atomic operation
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { MAX_USERS = 1 };
static atomic_int users;
static atomic_int served;

static void *client(void *arg)
{
	int n = 0;

	if (atomic_compare_exchange_strong(&users, &n, 1)) {
		forced(1);
		assert(atomic_load(&users) <= MAX_USERS);
		atomic_fetch_add(&served, 1);
		atomic_fetch_sub(&users, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, client, NULL);
	natural(1);
	pthread_create(&t2, NULL, client, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
