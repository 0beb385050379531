/*
 * check-name: a block that one thread frees and allocates again lies where the old one lay
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *current;

static void *owner(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		free(current);
		current = malloc(sizeof *current);
		*current = i;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* Looks at the pointer only, so that the blocks are the other thread's own. */
static void *looker(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	*(int *)arg = current != NULL;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int there = 0;

	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, looker, &there);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(current);
	return there > 1;
}
