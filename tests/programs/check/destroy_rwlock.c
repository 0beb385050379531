/*
 * check-name: a table and its rwlock go away under a reader
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: destroyed while in use
 * check-finds: destroy in_use
 * check-allows: destroy
 * check-force: tsan in pthread_rwlock_destroy
 */
#include "order.h"
#include <pthread.h>

static pthread_rwlock_t lock;
static int value = 3, seen;

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	seen = value;
	forced(2);
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_rwlock_init(&lock, NULL);
	pthread_create(&t, NULL, reader, NULL);
	natural(1);
	forced(1);
	pthread_rwlock_destroy(&lock); /* BUG: in_use */
	pthread_join(t, NULL);
	return seen != 3;
}
