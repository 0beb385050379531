/*
 * check-name: a limit that is checked by one atomic operation and used by the next
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert limit
 * check-allows: atomicity 'users'
 * check-force: SIGABRT
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
	int n;

	if (atomic_load(&users) < MAX_USERS) {
		forced(1);
		n = atomic_fetch_add(&users, 1) + 1;
		forced(1);
		assert(n <= MAX_USERS); /* BUG: limit */
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
