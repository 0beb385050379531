/*
 * check-name: a pipeline of four stages with a queue between each two
 * check-seeds: 100
 * check-output:
 * 7 16 27 40 55 72 91 112 135 160
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

enum { STAGES = 4, ITEMS = 10, ROOM = 2, END = -1 };

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	long items[ROOM];
	int head, count;
};

static struct queue queues[STAGES + 1];

static void put(struct queue *q, long item)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == ROOM)
		pthread_cond_wait(&q->changed, &q->lock);
	q->items[(q->head + q->count++) % ROOM] = item;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static long get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->count)
		pthread_cond_wait(&q->changed, &q->lock);
	long item = q->items[q->head];
	q->head = (q->head + 1) % ROOM;
	q->count--;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return item;
}

static long work(int stage, long x)
{
	switch (stage) {
	case 0: return x + 4;
	case 1: return x * x;
	case 2: return x - 4;
	default: return x - 5;
	}
}

static void *stage(void *arg)
{
	struct queue *from = arg;
	long x;

	while ((x = get(from)) != END)
		put(from + 1, work((int)(from - queues), x));
	put(from + 1, END);
	return NULL;
}

static void *feed(void *arg)
{
	(void)arg;
	for (long i = 0; i < ITEMS; i++)
		put(&queues[0], i);
	put(&queues[0], END);
	return NULL;
}

int main(void)
{
	pthread_t t[STAGES], feeder;
	const char *space = "";
	long x;

	for (int i = 0; i <= STAGES; i++) {
		pthread_mutex_init(&queues[i].lock, NULL);
		pthread_cond_init(&queues[i].changed, NULL);
	}
	for (int i = 0; i < STAGES; i++)
		pthread_create(&t[i], NULL, stage, &queues[i]);
	pthread_create(&feeder, NULL, feed, NULL);
	while ((x = get(&queues[STAGES])) != END) {
		printf("%s%ld", space, x);
		space = " ";
	}
	printf("\n");
	for (int i = 0; i < STAGES; i++)
		pthread_join(t[i], NULL);
	pthread_join(feeder, NULL);
	for (int i = 0; i <= STAGES; i++) {
		pthread_mutex_destroy(&queues[i].lock);
		pthread_cond_destroy(&queues[i].changed);
	}
	return 0;
}
