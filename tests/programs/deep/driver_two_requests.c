/*
 * check-name: a driver with two users; the device is released by whoever leaves it last
 * check-command: heddle check --deep -- $exe
 * check-finds: use-after-free device
 * check-allows: double-free
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int stopping, pending = 1;
static volatile int *device;

static void leave(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		free((void *)device); /* BUG: device */
}

static void *request(void *arg)
{
	natural(1);
	if (!atomic_load(&stopping)) {
		atomic_fetch_add(&pending, 1);
		*device = 1; /* BUG: device */
		leave();
	}
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

	device = calloc(1, sizeof *device);
	pthread_create(&t1, NULL, request, NULL);
	pthread_create(&t2, NULL, stop, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
