/*
 * check-name: a value is read under the read lock and written under the write lock, later
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert sum
 * check-allows: atomicity 'version'
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int version;

static void *updater(void *arg)
{
	int seen;

	pthread_rwlock_rdlock(&lock);
	seen = version;
	pthread_rwlock_unlock(&lock);
	forced(1);
	pthread_rwlock_wrlock(&lock);
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
	assert(version == 2); /* BUG: sum */
	return 0;
}
