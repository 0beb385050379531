/*
 * check-name: a ring of two slots: a second item is put in only if the first is gone, and then in its place
 * check-command: heddle check --deep -- $exe
 * check-finds: assert order
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int slot, taken, got[2];

static void *producer(void *arg)
{
	atomic_store(&slot, 1);
	if (atomic_load(&taken))
		atomic_store(&slot, 2);
	return arg;
}

static void *consumer(void *arg)
{
	int v;

	natural(1);
	if (atomic_load(&slot)) {
		atomic_store(&taken, 1);
		v = atomic_load(&slot);
		assert(v == 1); /* BUG: order */
		atomic_store(&got[0], v);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
