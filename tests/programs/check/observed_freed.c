/*
 * check-name: the recorded run uses a large block that is gone, at a line that it passed before
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: use after free in the recorded run
 * check-finds: use-after-free now
 * check-natural: SIGSEGV
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int seen;

static void *reader(void *arg)
{
	volatile int *block = arg;

	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		seen = block[0]; /* BUG: now */
		pthread_mutex_unlock(&lock);
		usleep(60000);
	}
	return NULL;
}

int main(void)
{
	int *block = calloc(1 << 20, sizeof *block);
	pthread_t t;

	pthread_create(&t, NULL, reader, block);
	usleep(30000);
	pthread_mutex_lock(&lock);
	free(block); /* BUG: now */
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return seen;
}
