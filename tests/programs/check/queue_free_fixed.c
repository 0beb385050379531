/*
 * check-name: a work queue is freed when its worker has ended
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
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
	while (q->jobs > 0 && !q->stop)
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
	pthread_join(t, NULL);
	free(q);
	return 0;
}
