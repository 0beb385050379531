/*
 * check-name: a sleep orders nothing: the writer after the sleep may come first
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: overflow fill
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned length = 4;
static char *block;

static void *fill(void *arg)
{
	pthread_mutex_lock(&m);
	memset(block, 1, length); /* BUG: fill */
	pthread_mutex_unlock(&m);
	return arg;
}

static void *grow(void *arg)
{
	usleep(20000);
	pthread_mutex_lock(&m);
#ifdef CORRECT
	length = 16;
#else
	length = 64;
#endif
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	block = malloc(16);
	if (!block)
		return 0;
	pthread_create(&t, NULL, fill, NULL);
	pthread_create(&u, NULL, grow, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(block);
	return 0;
}
