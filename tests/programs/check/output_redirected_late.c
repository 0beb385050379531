/*
 * check-name: the standard output is replaced by a pipe while threads exist: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: a standard stream may be redirected while threads exist
 */
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *prints(void *arg)
{
	natural(1);
	printf("a");
	fflush(stdout);
	return arg;
}

int main(void)
{
	pthread_t t;
	int ends[2];
	char c;

	pthread_create(&t, NULL, prints, NULL);
	assert(!pipe(ends) && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
	pthread_join(t, NULL);
	assert(!fcntl(ends[0], F_SETFL, O_NONBLOCK));
	assert(read(ends[0], &c, 1) == 1); /* fails if the thread prints first */
	return 0;
}
