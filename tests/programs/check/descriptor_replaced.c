/*
 * check-name: a thread puts another file in the place of a descriptor that its neighbour reads: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'read' in thread 1 (descriptor_replaced.c:24) and 'dup2' in thread 2 (descriptor_replaced.c:34)
 */
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int zeros, empty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
	char byte;
	long n;

	pthread_mutex_lock(&lock);
	n = read(zeros, &byte, 1);
	pthread_mutex_unlock(&lock);
	assert(n == 1);
	return arg;
}

static void *replacer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	dup2(empty, zeros);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t r, p;

	zeros = open("/dev/zero", O_RDONLY);
	empty = open("/dev/null", O_RDONLY);
	pthread_create(&r, NULL, reader, NULL);
	pthread_create(&p, NULL, replacer, NULL);
	pthread_join(r, NULL);
	pthread_join(p, NULL);
	return 0;
}
