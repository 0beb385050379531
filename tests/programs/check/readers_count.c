/*
 * check-name: readers and writers: the number of readers has no lock
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'readers'
 * check-finds: race readers
 * check-allows: race 'readers'
 * check-allows: atomicity 'readers'
 * check-allows: deadlock
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t writing;
static volatile int readers;
static int value = 1, seen[2];

static void *reader(void *arg)
{
	int *to = arg;

	readers++; /* BUG: readers */
	if (readers == 1)
		sem_wait(&writing);
	*to = value;
	readers--;
	if (readers == 0)
		sem_post(&writing);
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
