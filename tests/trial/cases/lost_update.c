/*
 * check-name: an update that is lost
 * explore: --switch access
 * seeds: 12 --access
 */
#include <pthread.h>
#include <stdio.h>

static int counter;

static void *add(void *arg)
{
	counter += 1;
	counter += 2;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, add, 0);
	counter += 4;
	pthread_join(t, 0);
	printf("%d\n", counter);
	return counter;
}
