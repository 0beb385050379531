/*
 * check-name: a table is replaced by a smaller one while another thread writes to its end
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: heap overflow
 * check-finds: overflow end
 * check-force: asan heap-buffer-overflow
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static long *_Atomic table;

static void *shrinker(void *arg)
{
	long *fresh = calloc(2, sizeof(*fresh));

	natural(1);
	atomic_store(&table, fresh);
	return arg;
}

static void *writer(void *arg)
{
	long *t;

	forced(1);
	t = atomic_load(&table);
	t[3] = 1; /* BUG: end */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;
	long *old = calloc(4, sizeof(*old));

	atomic_store(&table, old);
	pthread_create(&t1, NULL, shrinker, NULL);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(atomic_load(&table));
	free(old);
	return 0;
}
