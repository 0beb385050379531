/*
 * check-name: a read that does not wait is not ordered behind the write that it got its bytes from: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'write' in thread 1 (pipe_read_without_waiting.c:20) and 'read' in thread 2 (pipe_read_without_waiting.c:29)
 */
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg)
{
	assert(write(ends[1], "abcd", 4) == 4);
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

	assert(!pipe2(ends, O_NONBLOCK));
	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&r, NULL, reader, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	return 0;
}
