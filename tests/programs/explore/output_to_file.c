/*
 * check-name: two threads print to a standard output that is a file, which the program reads
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert first
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *put(void *arg)
{
	puts(arg);
	return NULL;
}

int main(void)
{
	char name[] = "/tmp/heddle-XXXXXX";
	pthread_t t, u;
	FILE *in;
	int c;

	if (mkstemp(name) < 0 || !freopen(name, "w", stdout))
		return 1;
	pthread_create(&t, NULL, put, "A");
	pthread_create(&u, NULL, put, "B");
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	fflush(stdout);
	in = fopen(name, "r");
	unlink(name);
	c = in ? fgetc(in) : EOF;
#ifndef CORRECT
	assert(c == 'A'); /* BUG: first */
#endif
	return c == EOF;
}
