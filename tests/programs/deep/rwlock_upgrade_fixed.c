/*
 * check-name: what was found missing under the read lock is looked for again under the write lock
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int present, entries;

static void *user(void *arg)
{
	int p;

	pthread_rwlock_rdlock(&lock);
	p = present;
	pthread_rwlock_unlock(&lock);
	if (!p) {
		pthread_rwlock_wrlock(&lock);
		if (!present) {
			present = 1;
			entries = entries + 1;
		}
		pthread_rwlock_unlock(&lock);
	}
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
	assert(entries == 1);
	return 0;
}
