/*
 * check-name: a request is counted before it looks whether the driver is being stopped
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stopping, pending = 1, stopped;

static void leave(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		atomic_store(&stopped, 1);
}

static void *request(void *arg)
{
	natural(1);
	atomic_fetch_add(&pending, 1);
	if (!atomic_load(&stopping))
		assert(!atomic_load(&stopped));
	leave();
	return arg;
}

static void *stop(void *arg)
{
	atomic_store(&stopping, 1);
	leave();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, request, NULL);
	pthread_create(&t2, NULL, stop, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
