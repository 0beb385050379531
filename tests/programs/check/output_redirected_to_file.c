/*
 * check-name: threads print to a standard output that is a file, which the program reads: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'puts' in thread 1 (output_redirected_to_file.c:16) and 'puts' in thread 2 (output_redirected_to_file.c:23)
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *first(void *arg)
{
	puts("a");
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	puts("b");
	return arg;
}

int main(void)
{
	pthread_t t, u;
	FILE *in;

	assert(freopen("printed.tmp", "w", stdout));
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	fflush(stdout);
	in = fopen("printed.tmp", "r");
	assert(fgetc(in) == 'a'); /* fails if the other thread is first */
	unlink("printed.tmp");
	return 0;
}
