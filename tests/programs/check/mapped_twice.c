/*
 * check-name: memory that has two addresses is known under one of them only: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'mmap' (mapped_twice.c:38) was not reordered: other addresses or a file may have the same contents as its memory
 */
#define _GNU_SOURCE
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile char *one, *other;

static void *writes(void *arg)
{
	one[0] = 1;
	return arg;
}

static void *reads(void *arg)
{
	natural(1);
	assert(other[0] == 1);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	int fd = memfd_create("twice", 0);
	int both = PROT_READ | PROT_WRITE;

	assert(!ftruncate(fd, 4096));
	one = mmap(NULL, 4096, both, MAP_SHARED, fd, 0);
	other = mmap(NULL, 4096, both, MAP_SHARED, fd, 0);
	pthread_create(&t, NULL, writes, NULL);
	pthread_create(&u, NULL, reads, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
