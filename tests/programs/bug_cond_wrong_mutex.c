/*
 * check-name: threads wait on one condition variable with two different mutexes
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: bad argument
 * check-error-contains: two different mutexes
 */
#include <pthread.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wait_for_it(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_cond_wait(&cond, arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, wait_for_it, &lock[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
