/*
 * A long run with few mistakes: four workers in two pairs go over shared tables, block by block under the
 * block's lock, count in an atomic and in a counter under a lock. The argument is how many rounds each of
 * them goes: 3900 make 10^7 shared accesses and 5 * 10^7 instructions.
 *
 *  near: in the middle, after a barrier of its pair, one worker takes a gauge below its least value for
 *        two stores; the other one looks at it a little later
 *  far:  one pair's first worker swaps `plan` early, and it is null for a moment; the other pair's second
 *        worker uses it at its end. Nothing that the pairs do orders them
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 4, BLOCKS = 256, BLOCK = 64, CHUNK = 40, STEPS = 16 };

struct pair {
	pthread_mutex_t locks[BLOCKS];
	uint32_t table[BLOCKS][BLOCK];
	pthread_mutex_t lock;
	uint64_t total;
	pthread_barrier_t middle;
	atomic_ulong done;
};

static struct pair pairs[2];
static unsigned rounds = 3900;
static int gauge = 8;
static int plans[2] = {3, 5};
static int *plan = &plans[0];
static int used;

static uint32_t next(uint32_t *s)
{
	*s = *s * 1664525u + 1013904223u;
	return *s >> 8;
}

static void block(struct pair *p, uint32_t *s, uint32_t me)
{
	uint32_t b = next(s) % BLOCKS, sum = 0;

	pthread_mutex_lock(&p->locks[b]);
	for (uint32_t i = 0; i < CHUNK / 2; i++) {
		sum += p->table[b][i];
		p->table[b][i] = sum + me;
	}
	pthread_mutex_unlock(&p->locks[b]);
	atomic_fetch_add_explicit(&p->done, 1, memory_order_relaxed);
}

static void count(struct pair *p)
{
	pthread_mutex_lock(&p->lock);
	p->total++;
	pthread_mutex_unlock(&p->lock);
}

static void middle(struct pair *p, uint32_t me)
{
	uint32_t seed = 7;

	pthread_barrier_wait(&p->middle);
	if (me & 2)
		block(p, &seed, me);
	if (me == 1) {
		gauge -= 9; /* near: below 0 ... */
		gauge += 9; /* ... for a moment */
	} else if (me == 3) {
		block(p, &seed, me);
		block(p, &seed, me);
		assert(gauge >= 0);
	}
}

static void swap_plan(void)
{
	plan = NULL; /* far */
	plan = &plans[1];
}

static void *work(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg, s = 77 * me + 1;
	struct pair *p = &pairs[me & 1];

	for (unsigned r = 0; r < rounds; r++) {
		for (uint32_t k = 0; k < STEPS; k++)
			block(p, &s, me);
		count(p);
		if (me == 0 && r == rounds / 10)
			swap_plan();
		if (r == rounds / 2)
			middle(p, me);
	}
	if (me == 3)
		used = *plan;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[WORKERS];

	if (argc > 1)
		rounds = (unsigned)atoi(argv[1]);
	for (int i = 0; i < 2; i++) {
		for (int b = 0; b < BLOCKS; b++)
			pthread_mutex_init(&pairs[i].locks[b], NULL);
		pthread_mutex_init(&pairs[i].lock, NULL);
		pthread_barrier_init(&pairs[i].middle, NULL, 2);
	}
	for (uintptr_t i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	printf("%lu %lu %d\n", (unsigned long)pairs[0].total, (unsigned long)pairs[1].total, used);
	return 0;
}
