/*
 * check-name: two threads replace a block with an atomic exchange
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static char *_Atomic slot;

static void *replacer(void *arg)
{
	char *fresh = malloc(100), *old;

	forced(1);
	old = atomic_exchange(&slot, fresh);
	free(old);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	slot = malloc(100);
	pthread_create(&t1, NULL, replacer, NULL);
	natural(1);
	pthread_create(&t2, NULL, replacer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(slot);
	return 0;
}
