/*
 * check-name: a function that needs the lock held, and one that takes it
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void add_locked(void)
{
	value++;
}

static void add(void)
{
	pthread_mutex_lock(&lock);
	add_locked();
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	if (arg) {
		add();
	} else {
		pthread_mutex_lock(&lock);
		add_locked();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t1, t2;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock, &attr);
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, &value);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
