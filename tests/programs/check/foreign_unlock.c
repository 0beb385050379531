/*
 * check-name: a mutex is locked by one thread and unlocked by another
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: unlock by another thread
 * check-finds: foreign-unlock other
 * check-allows: double-unlock
 * check-allows: race 'value'
 * check-allows: deadlock
 * check-allows: double-lock
 * check-force: tsan unlock of an unlocked mutex (or by a wrong thread)
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *opener(void *arg)
{
	natural(1);
	forced(1);
	value = 1;
	pthread_mutex_unlock(&gate); /* BUG: other */
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	pthread_mutex_lock(&gate);
	pthread_create(&t, NULL, opener, NULL);
	pthread_mutex_lock(&gate);
	seen = value;
	pthread_mutex_unlock(&gate);
	pthread_join(t, NULL);
	return seen != 1;
}
