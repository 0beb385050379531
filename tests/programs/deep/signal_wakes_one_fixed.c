/*
 * check-name: one signal wakes one of two waiting threads, whichever it is
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static int woken;

static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	sem_post(&waiting); /* the main thread gets the lock when this thread waits */
	pthread_cond_wait(&cond, &lock);
	woken++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&waiting, 0, 0);
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, waits, NULL);
	sem_wait(&waiting);
	sem_wait(&waiting);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	assert(woken <= 1);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(woken == 2);
	return 0;
}
