/*
 * check-name: a mutex and a read lock in opposite orders where all only read
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int entries = 1, logged;

static void *first(void *arg)
{
	pthread_rwlock_rdlock(&table);
	forced(1);
	pthread_mutex_lock(&log_lock);
	logged += entries;
	pthread_mutex_unlock(&log_lock);
	pthread_rwlock_unlock(&table);
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	pthread_mutex_lock(&log_lock);
	forced(1);
	pthread_rwlock_rdlock(&table);
	logged += entries;
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&log_lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return logged != 2;
}
