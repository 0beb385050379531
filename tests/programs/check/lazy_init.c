/*
 * check-name: an object made by whoever needs it first, without a lock
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'instance'
 * check-finds: race instance
 * check-allows: race
 * check-allows: atomicity
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>

static int storage[2];
static int *volatile instance;
static atomic_int made;

static int *get(void)
{
	if (!instance) { /* BUG: instance */
		int n = atomic_fetch_add(&made, 1);

		forced(1);
		instance = &storage[n % 2]; /* BUG: instance */
	}
	return instance;
}

static void *user(void *arg)
{
	get();
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
	return made != 1;
}
