/*
 * check-name: a reader asks for the write lock without letting go: waits for itself
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: double lock
 * check-error-contains: in set_if_unset
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *set_if_unset(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	if (!value) {
		pthread_rwlock_wrlock(&lock);
		value = 1;
		pthread_rwlock_unlock(&lock);
	}
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, set_if_unset, NULL);
	set_if_unset(NULL);
	pthread_join(t, NULL);
	return 0;
}
