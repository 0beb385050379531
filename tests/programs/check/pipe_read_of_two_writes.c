/*
 * check-name: a read of the bytes of two writes may get those of the first only: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'write' in thread 1 (pipe_read_of_two_writes.c:18) and 'read' in thread 2 (pipe_read_of_two_writes.c:28)
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg)
{
	assert(write(ends[1], "ab", 2) == 2);
	assert(write(ends[1], "cd", 2) == 2);
	return arg;
}

static void *reader(void *arg)
{
	char got[4];

	natural(1);
	assert(read(ends[0], got, 4) == 4);
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
