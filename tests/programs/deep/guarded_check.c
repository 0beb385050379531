/*
 * check-name: the check is behind a flag that is down in the recorded run
 * check-command: heddle check --deep -- $exe
 * check-finds: assert half
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun, first, second;

static void *writer(void *arg)
{
	natural(1);
	atomic_store(&begun, 1);
	atomic_store(&first, 1);
	atomic_store(&second, 1);
	return arg;
}

static void *reader(void *arg)
{
	int a, b;

	if (atomic_load(&begun)) {
		a = atomic_load(&first);
		b = atomic_load(&second);
		assert(a == b); /* BUG: half */
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
