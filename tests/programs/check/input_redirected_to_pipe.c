/*
 * check-name: a thread reads a standard input that is a pipe, into which another one writes: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'write' in thread 1 (input_redirected_to_pipe.c:20) and 'getchar' in thread 2 (input_redirected_to_pipe.c:26)
 */
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *writes(void *arg)
{
	natural(1);
	assert(write(ends[1], "x", 1) == 1);
	return arg;
}

static void *reads(void *arg)
{
	assert(getchar() == EOF); /* fails if the other thread is first */
	return arg;
}

int main(void)
{
	pthread_t t, u;

	assert(!pipe(ends) && !fcntl(ends[0], F_SETFL, O_NONBLOCK));
	assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	pthread_create(&t, NULL, writes, NULL);
	pthread_create(&u, NULL, reads, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
