/*
 * check-name: a condition variable for each kind of waiter
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t input = PTHREAD_COND_INITIALIZER, output = PTHREAD_COND_INITIALIZER;
static int has_input, has_output;

static void *reader(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	while (!has_input)
		pthread_cond_wait(&input, &lock);
	assert(has_input);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *writer(void *arg)
{
	natural(2);
	pthread_mutex_lock(&lock);
	while (!has_output)
		pthread_cond_wait(&output, &lock);
	assert(has_output);
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
	pthread_cond_signal(&input);
	pthread_mutex_unlock(&lock);
	natural(2);
	forced(2);
	pthread_mutex_lock(&lock);
	has_output = 1;
	pthread_cond_signal(&output);
	pthread_mutex_unlock(&lock);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
