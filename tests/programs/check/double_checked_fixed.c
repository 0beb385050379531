/*
 * check-name: double-checked locking with an atomic pointer, set last
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config {
	int port;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config storage;
static struct config *_Atomic instance;

static struct config *get(void)
{
	struct config *c = atomic_load_explicit(&instance, memory_order_acquire);

	if (!c) {
		pthread_mutex_lock(&lock);
		c = atomic_load_explicit(&instance, memory_order_relaxed);
		if (!c) {
			c = &storage;
			forced(2);
			c->port = 80;
			atomic_store_explicit(&instance, c, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	return c;
}

static void *user(void *arg)
{
	assert(get()->port == 80);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	forced(1);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
