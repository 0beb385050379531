/*
 * check-name: a read lock and a mutex taken in opposite orders
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int entries = 1, logged;

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&table);
	forced(1);
	pthread_mutex_lock(&log_lock); /* BUG: order */
	logged += entries;
	pthread_mutex_unlock(&log_lock);
	pthread_rwlock_unlock(&table);
	return arg;
}

static void *writer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&log_lock);
	forced(1);
	pthread_rwlock_wrlock(&table); /* BUG: order */
	entries++;
	logged++;
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&log_lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return entries != 2;
}
