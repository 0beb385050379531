/*
 * check-name: a heap block is filled up to a length that another thread makes larger, within the block
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length = 4;

static void *fill(void *arg)
{
	char *own = malloc(16);

	pthread_mutex_lock(&lock);
	memset(own, 1, (size_t)length);
	pthread_mutex_unlock(&lock);
	free(own);
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

	pthread_create(&t, NULL, fill, NULL);
	pthread_create(&u, NULL, grow, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
