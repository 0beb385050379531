/*
 * check-name: a value is read and written under the write lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int version;

static void *updater(void *arg)
{
	int seen;

	pthread_rwlock_wrlock(&lock);
	seen = version;
	forced(1);
	version = seen + 1;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, updater, NULL);
	natural(1);
	pthread_create(&t2, NULL, updater, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(version == 2);
	return 0;
}
