/* A check that is stale at the act, a wait made by hand, and a choice that may be meant. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int *cached, fast;
static atomic_int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *arg)
{
	if (cached)
		printf("%d\n", *cached);
	pthread_mutex_lock(&lock);
	if (fast)
		puts("fast");
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *evict(void *arg)
{
	cached = NULL;
	pthread_mutex_lock(&lock);
	fast = 1;
	pthread_mutex_unlock(&lock);
	atomic_store(&ready, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	cached = malloc(sizeof *cached);
	*cached = 42;
	pthread_create(&a, NULL, look, NULL);
	/* The recorded run is to have thread a first, on a busy machine, too. */
	usleep(300000);
	pthread_create(&b, NULL, evict, NULL);
	while (!atomic_load(&ready))
		;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
