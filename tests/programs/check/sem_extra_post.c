/*
 * check-name: a semaphore for a lock, posted once too often
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'value'
 * check-finds: race value
 * check-allows: race 'value'
 * check-allows: atomicity 'value'
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t mutex;
static volatile int value;

static void *worker(void *arg)
{
	int seen;

	sem_wait(&mutex);
	seen = value; /* BUG: value */
	forced(1);
	value = seen + 1; /* BUG: value */
	sem_post(&mutex);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&mutex, 0, 1);
	sem_wait(&mutex);
	value = 0;
	sem_post(&mutex);
	sem_post(&mutex);
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return value != 2;
}
