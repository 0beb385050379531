/*
 * check-name: a poisoned pointer is set before the threads that follow it start
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

struct job {
	int number;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job first = {3};
static struct job *current = (struct job *)0x5a5a5a5a5a50;
static int seen;

static void *owner(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	current->number = 3;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *worker(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	seen = current->number;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	current = &first;
	pthread_create(&t1, NULL, owner, NULL);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen != 3;
}
