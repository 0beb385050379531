/*
 * check-name: a block is used in full once it is said to be large, and it is not large yet
 * check-command: heddle check --deep -- $exe
 * check-finds: overflow last
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static char *_Atomic block;
static atomic_int large;

static void *grower(void *arg)
{
	char *b;

	natural(1);
	b = calloc(16, 1);
	atomic_store(&large, 1);
	atomic_store(&block, b);
	return arg;
}

static void *user(void *arg)
{
	if (atomic_load(&large)) {
		volatile char *b = atomic_load(&block);

		b[8] = 1; /* BUG: last */
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	atomic_store(&block, calloc(8, 1));
	pthread_create(&t1, NULL, grower, NULL);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
