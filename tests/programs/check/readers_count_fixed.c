/*
 * check-name: readers and writers: the number of readers has a lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t writing;
static int readers;
static int value = 1, seen[2];

static void *reader(void *arg)
{
	int *to = arg;

	pthread_mutex_lock(&lock);
	readers++;
	if (readers == 1)
		sem_wait(&writing);
	pthread_mutex_unlock(&lock);
	*to = value;
	pthread_mutex_lock(&lock);
	readers--;
	if (readers == 0)
		sem_post(&writing);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&writing, 0, 1);
	pthread_create(&t1, NULL, reader, &seen[0]);
	natural(1);
	pthread_create(&t2, NULL, reader, &seen[1]);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	sem_wait(&writing);
	value = 2;
	sem_post(&writing);
	return seen[0] + seen[1] != 2;
}
