/*
 * check-name: a block that another thread frees on one input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: use-after-free use
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static unsigned char c;

static void *cleaner(void *arg)
{
	pthread_mutex_lock(&m);
	if (c == 'c') {
		free(block);
#ifdef CORRECT
		block = NULL;
#endif
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (read(0, &c, 1) != 1)
		return 1;
	block = calloc(1, sizeof *block);
	pthread_create(&t, NULL, cleaner, NULL);
	pthread_mutex_lock(&m);
	if (block)
		*block = 1; /* BUG: use */
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
