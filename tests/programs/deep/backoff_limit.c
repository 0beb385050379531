/*
 * check-name: a loop that waits longer each time, three times at most: then the flag may not be set
 * check-command: heddle check --deep -- $exe
 * check-finds: assert set
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *setter(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

int main(void)
{
	pthread_t t;
	int n, seen;

	pthread_create(&t, NULL, setter, NULL);
	natural(1);
	for (n = 0; n < 3 && !atomic_load(&flag); n++)
		usleep(1u << n);
	seen = atomic_load(&flag);
	assert(seen); /* BUG: set */
	pthread_join(t, NULL);
	return 0;
}
