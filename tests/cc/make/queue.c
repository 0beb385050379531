#include "queue.h"

void queue_put(struct queue *q, int x)
{
	pthread_mutex_lock(&q->lock);
	q->item[q->tail++ % 8] = x;
	pthread_cond_signal(&q->ready);
	pthread_mutex_unlock(&q->lock);
}

int queue_get(struct queue *q)
{
	int x;

	pthread_mutex_lock(&q->lock);
	while (q->head == q->tail)
		pthread_cond_wait(&q->ready, &q->lock);
	x = q->item[q->head++ % 8];
	pthread_mutex_unlock(&q->lock);
	return x;
}
