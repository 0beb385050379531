/*
 * check-name: a call writes the buffers of all streams, one of which another thread reads: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'fflush' in thread 1 (streams_flushed_while_read.c:18) and 'fopen' in thread 2 (streams_flushed_while_read.c:24)
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *flushes(void *arg)
{
	natural(1);
	fflush(NULL);
	return arg;
}

static void *looks(void *arg)
{
	FILE *in = fopen("flushed.tmp", "r");

	assert(fgetc(in) == EOF); /* fails if the other thread is first */
	fclose(in);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	out = fopen("flushed.tmp", "w");
	fputs("x", out);
	pthread_create(&t, NULL, flushes, NULL);
	pthread_create(&u, NULL, looks, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	remove("flushed.tmp");
	return 0;
}
