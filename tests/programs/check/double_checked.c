/*
 * check-name: double-checked locking that shows the object before it is filled
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-output-contains: data race on 'instance'
 * check-finds: assert half
 * check-finds: race instance
 * check-finds: race port
 * check-allows: race
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct config {
	int port;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config storage;
static struct config *volatile instance;

static struct config *get(void)
{
	if (!instance) { /* BUG: instance */
		pthread_mutex_lock(&lock);
		if (!instance) {
			instance = &storage; /* BUG: instance */
			forced(2);
			storage.port = 80; /* BUG: port */
		}
		pthread_mutex_unlock(&lock);
	}
	return instance;
}

static void *user(void *arg)
{
	assert(get()->port == 80); /* BUG: half port */
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
