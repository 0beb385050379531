/* Three stages with bounded queues between them: make, transform, sum up. Argument: blocks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 512, CAPACITY = 16 };

struct block {
	unsigned long number;
	unsigned word[WORDS];
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	struct block *slot[CAPACITY];
	unsigned head, count;
};

static struct queue made, transformed;
static long blocks;

static void queue_init(struct queue *q)
{
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->not_empty, NULL);
	pthread_cond_init(&q->not_full, NULL);
}

static void put(struct queue *q, struct block *b)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == CAPACITY)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->slot[(q->head + q->count++) % CAPACITY] = b;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

static struct block *take(struct queue *q)
{
	struct block *b;

	pthread_mutex_lock(&q->lock);
	while (!q->count)
		pthread_cond_wait(&q->not_empty, &q->lock);
	b = q->slot[q->head];
	q->head = (q->head + 1) % CAPACITY;
	q->count--;
	pthread_cond_signal(&q->not_full);
	pthread_mutex_unlock(&q->lock);
	return b;
}

static void *make(void *arg)
{
	unsigned x = 2463534242u;

	for (long n = 0; n < blocks; n++) {
		struct block *b = malloc(sizeof *b);

		if (!b)
			abort();
		b->number = (unsigned long)n;
		for (int i = 0; i < WORDS; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			b->word[i] = x;
		}
		put(&made, b);
	}
	put(&made, NULL);
	return arg;
}

static void *transform(void *arg)
{
	struct block *b;

	do {
		b = take(&made);
		for (int i = 0; b && i < WORDS; i++) {
			unsigned w = b->word[i];

			for (int k = 0; k < 8; k++)
				w = (w >> 1) ^ (w & 1 ? 0xedb88320u : 0);
			b->word[i] = w;
		}
		put(&transformed, b);
	} while (b);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	unsigned long sum = 0;
	struct block *b;

	blocks = argc > 1 ? atol(argv[1]) : 150000;
	queue_init(&made);
	queue_init(&transformed);
	pthread_create(&t[0], NULL, make, NULL);
	pthread_create(&t[1], NULL, transform, NULL);
	while ((b = take(&transformed))) {
		for (int i = 0; i < WORDS; i++)
			sum = sum * 31 + b->word[i];
		sum += b->number;
		free(b);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%lu\n", sum);
	return 0;
}
