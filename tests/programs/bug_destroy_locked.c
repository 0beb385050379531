/*
 * check-name: a mutex destroyed while another thread holds it
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: destroyed while in use
 * check-error-contains: locked mutex destroyed, in main thread
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked, go_on;

static void *hold(void *arg)
{
	pthread_mutex_lock(&lock);
	sem_post(&locked);
	sem_wait(&go_on);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&locked, 0, 0);
	sem_init(&go_on, 0, 0);
	pthread_create(&t, NULL, hold, NULL);
	sem_wait(&locked);
	pthread_mutex_destroy(&lock);
	sem_post(&go_on);
	pthread_join(t, NULL);
	return 0;
}
