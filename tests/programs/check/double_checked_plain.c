/*
 * check-name: double-checked locking with a plain pointer, set last
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'instance'
 * check-finds: race instance
 * check-allows: race 'instance'
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage;
static int *instance;

static int *get(void)
{
	if (!instance) { /* BUG: instance */
		pthread_mutex_lock(&lock);
		if (!instance) {
			storage = 80;
			instance = &storage; /* BUG: instance */
		}
		pthread_mutex_unlock(&lock);
	}
	return instance;
}

static void *user(void *arg)
{
	get();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return storage != 80;
}
