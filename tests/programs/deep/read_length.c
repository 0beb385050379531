/*
 * check-name: a file is read into a block, of a length that another thread makes larger
 * check-command: heddle check --deep -- $exe
 * check-finds: overflow read
 */
#include "../check/order.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t length = 8;
static char *block;

static void *fill(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);

	pthread_mutex_lock(&lock);
	if (read(fd, block, length) < 0) /* BUG: read */
		abort();
	pthread_mutex_unlock(&lock);
	close(fd);
	return arg;
}

static void *grow(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	length = 40;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	block = malloc(16);
	pthread_create(&t, NULL, fill, NULL);
	pthread_create(&u, NULL, grow, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(block);
	return 0;
}
