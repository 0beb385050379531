/*
 * check-name: made when first needed, by whoever finds that it is not there: both do
 * check-command: heddle branches -- $exe
 * check-branch: bug there
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int table[4];
static int *_Atomic instance;
static atomic_int made;

static int *get(void)
{
	if (atomic_load(&instance) == NULL) { /* BRANCH: there */
		atomic_fetch_add(&made, 1);
		atomic_store(&instance, table);
	}
	return atomic_load(&instance);
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
	if (atomic_load(&made) != 1)
		abort();
	return 0;
}
