/*
 * check-name: a buffer is freed when its user was joined
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static int sum;

static void *reader(void *arg)
{
	int *buffer = arg;

	forced(1);
	sum = buffer[0] + 1;
	return NULL;
}

int main(void)
{
	int *buffer = malloc(4 * sizeof(*buffer));
	pthread_t t;

	buffer[0] = 1;
	pthread_create(&t, NULL, reader, buffer);
	natural(1);
	pthread_join(t, NULL);
	free(buffer);
	return sum != 2;
}
