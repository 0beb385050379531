/*
 * check-name: a value is written under a read lock
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'hits'
 * check-finds: race hits
 * check-allows: race 'hits'
 * check-allows: atomicity 'hits'
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value = 5, hits;

static void *reader(void *arg)
{
	int seen;

	pthread_rwlock_rdlock(&lock);
	if (value == 5) {
		seen = hits; /* BUG: hits */
		forced(1);
		hits = seen + 1; /* BUG: hits */
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
