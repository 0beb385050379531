/*
 * check-name: who finds nothing goes to sleep, without looking again under the lock
 * check-command: heddle check --deep -- $exe
 * check-finds: lost-wakeup sleep
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static atomic_int items;

static void *consumer(void *arg)
{
	natural(1);
	if (atomic_load(&items) == 0) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&filled, &lock); /* BUG: sleep */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *producer(void *arg)
{
	atomic_store(&items, 1);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, consumer, NULL);
	pthread_create(&t2, NULL, producer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
