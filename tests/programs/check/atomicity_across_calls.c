/*
 * check-name: one function reads the seats that are left, its caller decides, another takes a seat
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: atomicity have
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2, sold;

static int have(void)
{
	int s;

	pthread_mutex_lock(&lock);
	s = seats; /* BUG: have */
	pthread_mutex_unlock(&lock);
	return s;
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
	if (have() > 0) {
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
