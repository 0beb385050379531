/*
 * check-name: a barrier entered with the lock that another party needs first
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock barrier
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int count;

static void *holder(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	count++;
	pthread_barrier_wait(&barrier); /* BUG: barrier */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *other(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock); /* BUG: barrier */
	count++;
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t1, NULL, holder, NULL);
	pthread_create(&t2, NULL, other, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_barrier_destroy(&barrier);
	return count != 2;
}
