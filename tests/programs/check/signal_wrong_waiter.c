/*
 * check-name: one condition variable for two kinds of waiters: a signal wakes the wrong one
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert wrong
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int has_input, has_output;

static void *reader(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	if (!has_input)
		pthread_cond_wait(&cond, &lock);
	assert(has_input);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *writer(void *arg)
{
	natural(2);
	pthread_mutex_lock(&lock);
	if (!has_output)
		pthread_cond_wait(&cond, &lock);
	assert(has_output); /* BUG: wrong */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	pthread_create(&t2, NULL, writer, NULL);
	natural(1);
	forced(2);
	pthread_mutex_lock(&lock);
	has_input = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	natural(2);
	forced(2);
	pthread_mutex_lock(&lock);
	has_output = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
