/*
 * check-name: the order of calls decides which thread gets which random number
 * check-command: heddle check --deep -- $exe
 * check-finds: assert first
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int a, b;

static void *draw(void *arg)
{
	*(int *)arg = rand() % 1000;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	int first;

	srand(1);
	first = rand() % 1000;
	srand(1);
	pthread_create(&t, NULL, draw, &a);
	pthread_create(&u, NULL, draw, &b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(a == first); /* BUG: first */
	return 0;
}
