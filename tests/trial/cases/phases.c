/*
 * check-name: barriers, semaphores, once, reader-writer locks
 * explore: --max-paths 30
 * seeds: 12
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static int made, sum, order[8], n;

static void make(void)
{
	made++;
}

static void *work(void *arg)
{
	int me = (int)(long)arg, saw;

	pthread_once(&once, make);
	pthread_barrier_wait(&barrier);
	sem_wait(&sem);
	order[n++] = me;
	sem_post(&sem);
	pthread_rwlock_rdlock(&rw);
	saw = sum;
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_wrlock(&rw);
	sum += me + saw;
	pthread_rwlock_unlock(&rw);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&sem, 0, 1);
	pthread_barrier_init(&barrier, NULL, 3);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	work((void *)4);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d %d: %d %d %d\n", made, sum, order[0], order[1], order[2]);
	return 0;
}
