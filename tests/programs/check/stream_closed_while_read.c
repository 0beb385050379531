/*
 * check-name: closing a stream writes its buffer, which another thread reads: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'fclose' in thread 1 (stream_closed_while_read.c:18) and 'fopen' in thread 2 (stream_closed_while_read.c:24)
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *closes(void *arg)
{
	natural(1);
	fclose(out);
	return arg;
}

static void *looks(void *arg)
{
	FILE *in = fopen("closed.tmp", "r");

	assert(fgetc(in) == EOF); /* fails if the other thread is first */
	fclose(in);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	out = fopen("closed.tmp", "w");
	fputs("x", out);
	pthread_create(&t, NULL, closes, NULL);
	pthread_create(&u, NULL, looks, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	remove("closed.tmp");
	return 0;
}
