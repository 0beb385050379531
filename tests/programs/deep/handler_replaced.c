/*
 * check-name: the new handler needs what is given to it a moment later
 * check-command: heddle check --deep -- $exe
 * check-finds: assert context
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int context, calls;

static void plain(void)
{
	atomic_fetch_add(&calls, 1);
}

static void with_context(void)
{
	assert(atomic_load(&context)); /* BUG: context */
}

static void (*_Atomic handler)(void) = plain;

static void *event(void *arg)
{
	atomic_load(&handler)();
	return arg;
}

static void *replacer(void *arg)
{
	natural(1);
	atomic_store(&handler, with_context);
	atomic_store(&context, 1);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, event, NULL);
	pthread_create(&t2, NULL, replacer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
