#include "config.h"
#include "loom.h"
#include <pthread.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int weave(int threads)
{
	pthread_t t[16];

	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], 0, one, 0);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], 0);
	return count;
}
