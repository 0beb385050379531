/*
 * check-name: room in a heap array is checked in one region and taken in the next
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: heap overflow
 * check-finds: overflow slot
 * check-allows: atomicity 'used'
 * check-allows: race
 * check-force: asan heap-buffer-overflow
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
	int room, i;

	pthread_mutex_lock(&lock);
	room = used < ROOM;
	pthread_mutex_unlock(&lock);
	forced(1);
	if (room) {
		pthread_mutex_lock(&lock);
		i = used++;
		array[i] = 1; /* BUG: slot */
		pthread_mutex_unlock(&lock);
		forced(1);
		pthread_mutex_lock(&lock);
		used--;
		pthread_mutex_unlock(&lock);
	}
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
