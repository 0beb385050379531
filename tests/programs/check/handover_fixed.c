/*
 * check-name: data goes from thread to thread by create, join, a semaphore and a condition
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int turn, data;

static void *second(void *arg)
{
	sem_wait(&sem);
	data *= 2;
	pthread_mutex_lock(&lock);
	turn = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *third(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!turn)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	data += 3;
	return arg;
}

int main(void)
{
	pthread_t t2, t3;

	sem_init(&sem, 0, 0);
	data = 1;
	pthread_create(&t2, NULL, second, NULL);
	pthread_create(&t3, NULL, third, NULL);
	natural(1);
	data++;
	sem_post(&sem);
	pthread_join(t3, NULL);
	assert(data == 7);
	pthread_join(t2, NULL);
	sem_destroy(&sem);
	return 0;
}
