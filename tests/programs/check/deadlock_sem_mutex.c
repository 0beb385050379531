/*
 * check-name: a semaphore is waited for with the lock that its poster needs
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock cycle
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;
static int stock;

static void *producer(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock); /* BUG: cycle */
	stock++;
	pthread_mutex_unlock(&lock);
	sem_post(&items);
	return arg;
}

static void *consumer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	sem_wait(&items); /* BUG: cycle */
	stock--;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&items, 0, 0);
	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return stock;
}
