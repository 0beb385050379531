/*
 * check-name: a bounded buffer where `if` stands before the wait: another consumer is faster
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert empty
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

enum { ROOM = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int count;

static void put(void)
{
	pthread_mutex_lock(&lock);
	forced(2);
	assert(count < ROOM);
	count++;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static void *early(void *arg)
{
	pthread_mutex_lock(&lock);
	if (count == 0)
		pthread_cond_wait(&not_empty, &lock);
	assert(count > 0); /* BUG: empty */
	count--;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *late(void *arg)
{
	natural(3);
	forced(2);
	pthread_mutex_lock(&lock);
	while (count == 0)
		pthread_cond_wait(&not_empty, &lock);
	count--;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, early, NULL);
	pthread_create(&t2, NULL, late, NULL);
	natural(1);
	forced(1);
	put();
	natural(1);
	forced(1);
	put();
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return count;
}
