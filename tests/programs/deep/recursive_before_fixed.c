/*
 * check-name: the main thread creates threads while it holds one level of a recursive mutex
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int ready, seen;

static void *looks(void *arg)
{
	pthread_mutex_lock(&lock);
	seen = ready;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_create(&t, NULL, looks, NULL);
	pthread_mutex_unlock(&lock);
	ready = 1; /* one level is still held */
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	assert(seen == 1);
	return 0;
}
