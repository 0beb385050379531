/*
 * check-name: an error-checking mutex says that it is held already, and nobody listens
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: double lock
 * check-finds: double-lock again
 * check-allows: double-unlock
 * check-allows: foreign-unlock
 * check-allows: race 'value'
 * check-allows: atomicity 'value'
 * check-force: no, every run shows it
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void add(void)
{
	pthread_mutex_lock(&lock); /* BUG: again */
	value++;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	if (arg) {
		add();
	} else {
		pthread_mutex_lock(&lock);
		add();
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
