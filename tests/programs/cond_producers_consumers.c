/*
 * check-name: three producers, three consumers, a ring of four, two condition variables
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * produced 30, consumed 30, sum 435
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { PRODUCERS = 3, CONSUMERS = 3, EACH = 10, ROOM = 4 };

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	int items[ROOM];
	unsigned head, count;
	bool closed;
};

static struct ring ring = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
	PTHREAD_COND_INITIALIZER, {0}, 0, 0, false};
static int consumed, sum; /* under the ring's lock */

static void ring_put(struct ring *r, int item)
{
	pthread_mutex_lock(&r->lock);
	while (r->count == ROOM)
		pthread_cond_wait(&r->not_full, &r->lock);
	r->items[(r->head + r->count++) % ROOM] = item;
	pthread_cond_signal(&r->not_empty);
	pthread_mutex_unlock(&r->lock);
}

static bool ring_get(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	while (!r->count && !r->closed)
		pthread_cond_wait(&r->not_empty, &r->lock);
	bool got = r->count > 0;
	if (got) {
		assert(r->count <= ROOM);
		sum += r->items[r->head];
		consumed++;
		r->head = (r->head + 1) % ROOM;
		r->count--;
		pthread_cond_signal(&r->not_full);
	}
	pthread_mutex_unlock(&r->lock);
	return got;
}

static void *produce(void *arg)
{
	int first = *(int *)arg;

	for (int i = 0; i < EACH; i++)
		ring_put(&ring, first + i);
	return NULL;
}

static void *consume(void *arg)
{
	(void)arg;
	while (ring_get(&ring))
		;
	return NULL;
}

int main(void)
{
	pthread_t p[PRODUCERS], c[CONSUMERS];
	int first[PRODUCERS];

	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&c[i], NULL, consume, NULL);
	for (int i = 0; i < PRODUCERS; i++) {
		first[i] = i * EACH;
		pthread_create(&p[i], NULL, produce, &first[i]);
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(p[i], NULL);
	pthread_mutex_lock(&ring.lock);
	ring.closed = true;
	pthread_cond_broadcast(&ring.not_empty);
	pthread_mutex_unlock(&ring.lock);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(c[i], NULL);
	printf("produced %d, consumed %d, sum %d\n", PRODUCERS * EACH, consumed, sum);
	return 0;
}
