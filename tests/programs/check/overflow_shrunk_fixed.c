/*
 * check-name: a table is replaced by one of the same size while another thread writes to its end
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static long *_Atomic table;

static void *replacer(void *arg)
{
	long *fresh = calloc(4, sizeof(*fresh));

	natural(1);
	atomic_store(&table, fresh);
	return arg;
}

static void *writer(void *arg)
{
	long *t;

	forced(1);
	t = atomic_load(&table);
	t[3] = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;
	long *old = calloc(4, sizeof(*old));

	atomic_store(&table, old);
	pthread_create(&t1, NULL, replacer, NULL);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(atomic_load(&table));
	free(old);
	return 0;
}
