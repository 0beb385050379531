/*
 * check-name: a flag set and signalled without the mutex: some schedule loses the wake-up
 * check-command: heddle exec --seeds=200 --switch=access -- $exe
 * check-exit: 66
 * check-error-contains: deadlock: every thread waits
 * check-error-contains: main thread waits for pthread_cond_wait
 * check-error-contains: global 'changed'
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *announce(void *arg)
{
	atomic_store(&ready, 1);
	pthread_cond_signal(&changed);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, announce, NULL);
	pthread_mutex_lock(&lock);
	while (!atomic_load(&ready))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
