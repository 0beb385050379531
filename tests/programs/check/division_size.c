/*
 * check-name: a hash is taken modulo a size that is not set yet
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: division by zero
 * check-output-contains: data race on 'size'
 * check-finds: division early
 * check-finds: race size
 * check-force: SIGFPE
 */
#include "order.h"
#include <pthread.h>

static unsigned size;
static unsigned slot;

static void *setter(void *arg)
{
	forced(1);
	size = 16; /* BUG: size */
	return arg;
}

static void *hasher(void *arg)
{
	natural(1);
	slot = 1234567u % size; /* BUG: early size */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, setter, NULL);
	pthread_create(&t2, NULL, hasher, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return slot != 7;
}
