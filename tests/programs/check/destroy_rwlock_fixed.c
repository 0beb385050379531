/*
 * check-name: a table and its rwlock go away after the last reader
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
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
	pthread_join(t, NULL);
	pthread_rwlock_destroy(&lock);
	return seen != 3;
}
