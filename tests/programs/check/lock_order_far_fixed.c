/*
 * check-name: opposite orders of two locks, ordered by a semaphore, thousands of events apart
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 * check-output-contains: no failure in any schedule of the recorded paths
 *
 * The run has about 4,000 events. No window around the two orders contains all of them, but a run of this
 * length is decided as a whole.
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static long counter;

static void count(void)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
}

static void *first(void *arg)
{
	count();
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	sem_post(&done);
	return arg;
}

static void *second(void *arg)
{
	sem_wait(&done);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	count();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&done, 0, 0);
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
