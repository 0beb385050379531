/*
 * check-name: a bounded work queue with several workers and an orderly end
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 24 jobs done, sum of squares 4900
 * check-output-end
 *
 * Correct under every schedule: the output does not depend on which worker did which job, and the
 * assertions are the invariant of the lock.
 */
#include "../include/heddle/heddle.h"
#include <pthread.h>
#include <stdbool.h>

enum { ROOM = 3, WORKERS = 3, JOBS = 24 };

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	int jobs[ROOM];
	unsigned first, count;
	bool closed;
};

static struct queue queue = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.not_empty = PTHREAD_COND_INITIALIZER,
	.not_full = PTHREAD_COND_INITIALIZER,
};

static void queue_put(struct queue *q, int job)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == ROOM)
		pthread_cond_wait(&q->not_full, &q->lock);
	heddle_assert(!q->closed && q->count < ROOM);
	q->jobs[(q->first + q->count++) % ROOM] = job;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

static bool queue_get(struct queue *q, int *job)
{
	bool got;

	pthread_mutex_lock(&q->lock);
	while (q->count == 0 && !q->closed)
		pthread_cond_wait(&q->not_empty, &q->lock);
	got = q->count > 0;
	if (got) {
		*job = q->jobs[q->first];
		q->first = (q->first + 1) % ROOM;
		q->count--;
		pthread_cond_signal(&q->not_full);
	}
	pthread_mutex_unlock(&q->lock);
	return got;
}

static void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

struct worker {
	pthread_t thread;
	int done, sum;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	int job;

	while (queue_get(&queue, &job)) {
		w->sum += job * job;
		w->done++;
	}
	return NULL;
}

int main(void)
{
	struct worker workers[WORKERS] = {0};
	int done = 0, sum = 0;

	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	for (int job = 1; job <= JOBS; job++)
		queue_put(&queue, job);
	queue_close(&queue);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		done += workers[i].done;
		sum += workers[i].sum;
	}
	heddle_assert(done == JOBS && queue.count == 0);
	printf("%d jobs done, sum of squares %d\n", done, sum);
	return 0;
}
