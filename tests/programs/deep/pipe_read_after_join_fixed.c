/*
 * check-name: a read of two writes that have surely been made gets the bytes of both
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
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

int main(void)
{
	pthread_t w;
	char got[4];

	assert(!pipe2(ends, O_NONBLOCK));
	pthread_create(&w, NULL, writer, NULL);
	pthread_join(w, NULL);
	assert(read(ends[0], got, 4) == 4);
	return 0;
}
