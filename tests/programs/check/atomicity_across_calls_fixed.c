/*
 * check-name: a function that takes a seat checks again what another function read before
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2, sold;

static int have(void)
{
	int s;

	pthread_mutex_lock(&lock);
	s = seats;
	pthread_mutex_unlock(&lock);
	return s;
}

static void take(void)
{
	pthread_mutex_lock(&lock);
	if (seats > 0) {
		seats--;
		sold++;
	}
	pthread_mutex_unlock(&lock);
}

static void *sell(void *arg)
{
	natural((int)(long)arg);
	if (have() > 0)
		take();
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, sell, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return sold > 2;
}
