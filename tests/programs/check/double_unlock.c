/*
 * check-name: a mutex is unlocked once more than locked
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: double unlock
 * check-finds: double-unlock extra
 * check-allows: foreign-unlock
 * check-allows: race 'value'
 * check-allows: atomicity 'value'
 * check-force: tsan unlock of an unlocked mutex
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *careless(void *arg)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&lock); /* BUG: extra */
	return arg;
}

static void *careful(void *arg)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, careless, NULL);
	natural(1);
	pthread_create(&t2, NULL, careful, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
