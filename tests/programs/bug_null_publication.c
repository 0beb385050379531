/*
 * check-name: a flag is raised before the pointer it announces is stored
 * check-command: heddle exec --seeds=200 --switch=access -- $exe
 * check-exit: 66
 * check-error-contains: null pointer dereference
 * check-error-contains: in read_config
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
	int size;
};

static struct config *_Atomic config;
static atomic_int ready;

static void *publish(void *arg)
{
	struct config *c = malloc(sizeof(*c));

	c->size = 42;
	atomic_store(&ready, 1);
	atomic_store(&config, c);
	return arg;
}

static int read_config(void)
{
	while (!atomic_load(&ready))
		sched_yield();
	return atomic_load(&config)->size;
}

int main(void)
{
	pthread_t t;
	int size;

	pthread_create(&t, NULL, publish, NULL);
	size = read_config();
	pthread_join(t, NULL);
	printf("%d\n", size);
	free(config);
	return 0;
}
