/*
 * check-name: a mutex unlocked by a thread that does not hold it
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: unlock by another thread
 * check-error-contains: does not hold it, in thread T1
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *unlock_it(void *arg)
{
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, unlock_it, NULL);
	pthread_join(t, NULL);
	return 0;
}
