/*
 * check-name: Fusion, Fig. 9 b: the wait keeps the other write away
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int x;
static int seen, done;

static void *first(void *arg)
{
	natural(1);
	heddle_atomic_begin();
	x = 1;
	forced(2);
	seen = x + 1;
	heddle_atomic_end();
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *second(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&c, &lock);
	pthread_mutex_unlock(&lock);
	x = 3;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen != 2 || x != 3;
}
