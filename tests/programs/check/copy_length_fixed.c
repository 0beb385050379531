/*
 * check-name: a copy of a length that another thread changes, always within both blocks
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t length = 8;
static char *source, *target;

static void *copy(void *arg)
{
	pthread_mutex_lock(&lock);
	memcpy(target, source, length);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *grow(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	length = 16;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	source = calloc(16, 1);
	target = calloc(32, 1);
	pthread_create(&t, NULL, copy, NULL);
	pthread_create(&u, NULL, grow, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(source);
	free(target);
	return 0;
}
