/*
 * check-name: a thread that waits in native code does not stop the others, and it is told
 * drive: --step 0:1 --step 1:1
 * expect: fate exited 0
 * expect: flags 1
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], n;

static void *send(void *arg)
{
	n++;
	(void)!write(ends[1], "x", 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	(void)!pipe(ends);
	pthread_create(&t, NULL, send, NULL);
	fgetc(fdopen(ends[0], "r"));
	n++;
	pthread_join(t, NULL);
	return n != 2;
}
