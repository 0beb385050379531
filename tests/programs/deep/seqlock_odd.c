/*
 * check-name: a writer of a sequence lock that leaves it odd: the reader waits for ever
 * check-command: heddle check --deep -- $exe
 * check-finds: hang odd
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int seq, stop, data;

static void *writer(void *arg)
{
	atomic_store(&seq, 1);
	if (atomic_load(&stop))
		return arg;
	atomic_store(&data, 1);
	atomic_store(&seq, 2);
	return arg;
}

static void *reader(void *arg)
{
	int s;

	natural(1);
	atomic_store(&stop, 1);
	while ((s = atomic_load(&seq)) & 1) /* BUG: odd */
		sched_yield();
	return (void *)(long)(s + atomic_load(&data) + !arg);
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
