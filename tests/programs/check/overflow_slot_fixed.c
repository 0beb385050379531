/*
 * check-name: room in a heap array is checked and taken in one region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

enum { ROOM = 1 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *array;
static int used;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	forced(1);
	if (used < ROOM) {
		array[used++] = 1;
		pthread_mutex_unlock(&lock);
		forced(1);
		pthread_mutex_lock(&lock);
		used--;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	array = malloc(ROOM * sizeof(*array));
	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(array);
	return used;
}
