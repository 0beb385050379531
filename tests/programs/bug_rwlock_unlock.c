/*
 * check-name: a read-write lock unlocked by a thread that does not hold it
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: unlock by another thread
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *unlock_it(void *arg)
{
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_rwlock_rdlock(&lock);
	pthread_create(&t, NULL, unlock_it, NULL);
	pthread_join(t, NULL);
	pthread_rwlock_unlock(&lock);
	return 0;
}
