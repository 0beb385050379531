/*
 * check-name: a value is written under a write lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value = 5, hits;

static void *reader(void *arg)
{
	int seen;

	pthread_rwlock_wrlock(&lock);
	if (value == 5) {
		seen = hits;
		forced(1);
		hits = seen + 1;
	}
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	natural(1);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return hits != 2;
}
