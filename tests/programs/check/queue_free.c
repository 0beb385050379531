/*
 * check-name: a work queue is freed when its worker was told to stop, not when it has
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: use after free
 * check-finds: use-after-free queue
 * check-allows: race
 * check-force: asan heap-use-after-free
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

struct queue {
	int jobs, stop, done;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
	struct queue *q = arg;

	natural(1);
	pthread_mutex_lock(&lock);
	while (q->jobs > 0 && !q->stop) /* BUG: queue */
		q->jobs--;
	pthread_mutex_unlock(&lock);
	forced(2);
	pthread_mutex_lock(&lock);
	q->done = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct queue *q = calloc(1, sizeof(*q));
	pthread_t t;

	q->jobs = 2;
	pthread_create(&t, NULL, worker, q);
	forced(1);
	pthread_mutex_lock(&lock);
	q->stop = 1;
	pthread_mutex_unlock(&lock);
	natural(2);
	free(q); /* BUG: queue */
	pthread_join(t, NULL);
	return 0;
}
