/*
 * check-name: a file is written through a descriptor and read by the name that it got since: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'write' in thread 1 (file_renamed_while_open.c:20) and 'open' in thread 2 (file_renamed_while_open.c:27)
 */
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int out;

static void *writes(void *arg)
{
	natural(1);
	assert(write(out, "x", 1) == 1);
	return arg;
}

static void *looks(void *arg)
{
	char c;
	int in = open("new.tmp", O_RDONLY);

	assert(read(in, &c, 1) == 0); /* fails if the other thread is first */
	close(in);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	out = open("old.tmp", O_CREAT | O_TRUNC | O_RDWR, 0600);
	assert(!rename("old.tmp", "new.tmp"));
	pthread_create(&t, NULL, writes, NULL);
	pthread_create(&u, NULL, looks, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink("new.tmp");
	return 0;
}
