/*
 * check-name: one function says whether a seat is free, and another takes it
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: atomicity have
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2, sold;

static int is_free(void)
{
	pthread_mutex_lock(&lock);
	if (seats <= 0) { /* BUG: have */
		pthread_mutex_unlock(&lock);
		return 0;
	}
	pthread_mutex_unlock(&lock);
	return 1;
}

static void take(void)
{
	pthread_mutex_lock(&lock);
	seats--; /* BUG: have */
	sold++;
	pthread_mutex_unlock(&lock);
}

static void *sell(void *arg)
{
	natural((int)(long)arg);
	if (is_free()) {
		forced(1);
		take();
	}
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
