/*
 * check-name: a copy reads beyond the end of its source, because another thread changed the length
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: overflow copy
 * check-force: asan heap-buffer-overflow
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
	forced(1);
	pthread_mutex_lock(&lock);
	memcpy(target, source, length); /* BUG: copy */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *grow(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	length = 24;
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
