/*
 * check-name: a thread waits for a pipe with the lock that the writer needs
 * check-command: heddle check --seconds=10 -- $exe
 * check-predicts: deadlock waits
 * check-exit: 3
 * check-force: hang
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	assert(write(ends[1], "a", 1) == 1);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reader(void *arg)
{
	char got;

	natural(1);
	pthread_mutex_lock(&lock);
	assert(read(ends[0], &got, 1) == 1); /* BUG: waits */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t w, r;

	assert(!pipe(ends));
	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&r, NULL, reader, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	return 0;
}
