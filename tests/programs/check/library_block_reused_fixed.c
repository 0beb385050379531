/*
 * check-name: two blocks of strdup have the same address one after the other
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t total;

static void *measure(void *arg)
{
	char *copy;

	if (arg)
		natural(1);
	copy = strdup("abc");
	pthread_mutex_lock(&lock);
	total += strlen(copy);
	pthread_mutex_unlock(&lock);
	free(copy);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, measure, NULL);
	pthread_create(&u, NULL, measure, &u);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(total == 6);
	return 0;
}
