/*
 * check-name: an index that another thread moves out of its block
 * explore: --switch access
 * seeds: 10 --access
 */
#include <pthread.h>
#include <stdlib.h>

static int at, *block;

static void *mover(void *arg)
{
	at = 4;
	at = 0;
	return arg;
}

int main(void)
{
	pthread_t t;
	int v;

	block = calloc(4, sizeof *block);
	pthread_create(&t, 0, mover, 0);
	v = block[at];
	pthread_join(t, 0);
	free(block);
	return v;
}
