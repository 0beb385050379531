/*
 * check-name: a queue made by hand: the item is there before the tail moves
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int items[4], head, tail;

static void *producer(void *arg)
{
	natural(1);
	atomic_store(&items[0], 5);
	atomic_store(&tail, 1);
	return arg;
}

static void *consumer(void *arg)
{
	int at = atomic_load(&head);

	if (at != atomic_load(&tail)) {
		assert(atomic_load(&items[0]));
		atomic_store(&head, at + 1);
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
