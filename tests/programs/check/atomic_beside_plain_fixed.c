/*
 * check-name: a flag is stored and read atomically
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static int flag;
static int seen;

static void *setter(void *arg)
{
	forced(1);
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *getter(void *arg)
{
	natural(1);
	seen = __atomic_load_n(&flag, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, setter, NULL);
	pthread_create(&t2, NULL, getter, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen & ~1;
}
