/*
 * A pipeline, of the shape of PARSEC's dedup: pieces of the input go through queues from stage to stage;
 * pieces that were seen before are not compressed again. Two threads hash, one compresses, one writes,
 * main cuts.
 *
 * context dedup-1: hash_stage>find:{find}@T1,hash_stage>find:{find}@T2,compress_stage:{compress}@T3,write_stage:{write}@T4,main:{cut}@T0
 * branches: 3
 * context dedup-2: hash_stage:{got}@T1,hash_stage:{got}@T2,compress_stage:{compress}@T3,write_stage:{write}@T4,main:{join}@T0
 * branches: 5
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4, PIECES = 4, BUCKETS = 4, PIECE = 4, HASHERS = 2 };

struct piece {
	struct piece *next; /* in its bucket */
	unsigned hash;
	int number, length;
	int is_new;
	unsigned char bytes[PIECE];
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t empty, full;
	struct piece *at[SIZE];
	unsigned head, tail, n;
	int producers; /* that have not ended */
};

static struct queue cut, fresh, done;
static pthread_mutex_t bucket_lock[BUCKETS];
static struct piece *bucket[BUCKETS];
static int written, duplicates;

static void queue_init(struct queue *q, int producers)
{
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->empty, NULL);
	pthread_cond_init(&q->full, NULL);
	q->head = q->tail = q->n = 0;
	q->producers = producers;
}

static void enqueue(struct queue *q, struct piece *p)
{
	pthread_mutex_lock(&q->lock);
	while (q->n == SIZE)
		pthread_cond_wait(&q->full, &q->lock);
	q->at[q->tail % SIZE] = p;
	q->tail++;
	q->n++;
	pthread_cond_signal(&q->empty);
	pthread_mutex_unlock(&q->lock);
}

static struct piece *dequeue(struct queue *q)
{
	struct piece *p = NULL;

	pthread_mutex_lock(&q->lock);
	while (q->n == 0 && q->producers > 0)
		pthread_cond_wait(&q->empty, &q->lock);
	if (q->n > 0) {
		p = q->at[q->head % SIZE];
		q->head++;
		q->n--;
		pthread_cond_signal(&q->full);
	}
	pthread_mutex_unlock(&q->lock);
	return p;
}

static void terminate(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->producers--;
	pthread_cond_broadcast(&q->empty);
	pthread_mutex_unlock(&q->lock);
}

/* Enters the piece if it is new; its bucket is locked. */
static int find(struct piece *p)
{
	struct piece *q = bucket[p->hash % BUCKETS];

	while (q) {
		if (q->hash == p->hash) /* HERE: find */
			return 0;
		q = q->next;
	}
	p->next = bucket[p->hash % BUCKETS];
	bucket[p->hash % BUCKETS] = p;
	return 1;
}

static void *hash_stage(void *arg)
{
	struct piece *p;

	while ((p = dequeue(&cut))) {
		unsigned h = 5381;

		for (unsigned i = 0; i < PIECE; i++) /* HERE: got */
			h = h * 33 + p->bytes[i];
		p->hash = h;
		pthread_mutex_lock(&bucket_lock[h % BUCKETS]);
		p->is_new = find(p);
		pthread_mutex_unlock(&bucket_lock[h % BUCKETS]);
		enqueue(p->is_new ? &fresh : &done, p);
	}
	terminate(&fresh);
	terminate(&done);
	return arg;
}

static void *compress_stage(void *arg)
{
	struct piece *p;

	while ((p = dequeue(&fresh))) {
		p->length = 1; /* HERE: compress */
		for (unsigned i = 1; i < PIECE; i++)
			p->length += p->bytes[i] != p->bytes[i - 1];
		enqueue(&done, p);
	}
	terminate(&done);
	return arg;
}

static void *write_stage(void *arg)
{
	struct piece *p;

	while ((p = dequeue(&done))) {
		if (p->is_new) /* HERE: write */
			written += p->length;
		else
			duplicates++;
	}
	return arg;
}

int main(void)
{
	static const char text[] = "aabbaabbccddaabb";
	pthread_t t[HASHERS + 2];

	queue_init(&cut, 1);
	queue_init(&fresh, HASHERS);
	queue_init(&done, HASHERS + 1);
	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&bucket_lock[i], NULL);
	for (int i = 0; i < HASHERS; i++)
		pthread_create(&t[i], NULL, hash_stage, NULL);
	pthread_create(&t[HASHERS], NULL, compress_stage, NULL);
	pthread_create(&t[HASHERS + 1], NULL, write_stage, NULL);
	for (unsigned i = 0; i < PIECES; i++) {
		struct piece *p = calloc(1, sizeof *p); /* HERE: cut */

		p->number = (int)i;
		memcpy(p->bytes, text + PIECE * i, PIECE);
		enqueue(&cut, p);
	}
	terminate(&cut);
	for (int i = 0; i < HASHERS + 2; i++)
		pthread_join(t[i], NULL); /* HERE: join */
	printf("%d %d\n", written, duplicates);
	return 0;
}
