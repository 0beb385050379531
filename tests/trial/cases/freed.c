/*
 * check-name: memory that another thread frees too early
 * explore: --switch access
 * seeds: 12 --access
 */
#include <pthread.h>
#include <stdlib.h>

static int *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
	int v = 0;

	pthread_mutex_lock(&m);
	v = *shared;
	pthread_mutex_unlock(&m);
	return v ? arg : NULL;
}

int main(void)
{
	pthread_t t;

	shared = malloc(sizeof *shared);
	*shared = 5;
	pthread_create(&t, 0, reader, 0);
	free(shared);
	pthread_join(t, 0);
	return 0;
}
