#ifndef QUEUE_H
#define QUEUE_H
#include <pthread.h>
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t ready;
	int item[8], head, tail;
};
void queue_put(struct queue *q, int x);
int queue_get(struct queue *q);
#endif
