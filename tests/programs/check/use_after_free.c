/*
 * check-name: a buffer is freed when its user ought to be done
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: use after free
 * check-finds: use-after-free gone
 * check-allows: race
 * check-force: asan heap-use-after-free
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static int sum;

static void *reader(void *arg)
{
	int *buffer = arg;

	forced(1);
	sum = buffer[0] + 1; /* BUG: gone */
	return NULL;
}

int main(void)
{
	int *buffer = malloc(4 * sizeof(*buffer));
	pthread_t t;

	buffer[0] = 1;
	pthread_create(&t, NULL, reader, buffer);
	natural(1);
	free(buffer); /* BUG: gone */
	pthread_join(t, NULL);
	return sum != 2;
}
