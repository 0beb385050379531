/* malloc and free all the time: two threads keep pools of blocks of mixed sizes, and pass one on to
 * the other now and then. Argument: allocations of each. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 512, THREADS = 2 };

struct mailbox {
	pthread_mutex_t lock;
	unsigned char *block;
};

static struct mailbox boxes[THREADS];
static long allocations;

static unsigned char *swap(struct mailbox *m, unsigned char *block)
{
	unsigned char *old;

	pthread_mutex_lock(&m->lock);
	old = m->block;
	m->block = block;
	pthread_mutex_unlock(&m->lock);
	return old;
}

static void *work(void *arg)
{
	long me = (long)arg;
	unsigned char *pool[POOL] = {NULL};
	unsigned long x = (unsigned long)me + 77, sum = 0;

	for (long i = 0; i < allocations; i++) {
		x = x * 6364136223846793005ul + 1442695040888963407ul;
		size_t size = 16 + (x >> 56), slot = (x >> 40) % POOL;
		unsigned char *block = malloc(size);

		if (!block)
			abort();
		memset(block, (int)(size & 0x7f), 16);
		block[size - 1] = (unsigned char)i;
		sum += size;
		if (pool[slot] && pool[slot][0] > 0x7f)
			abort();
		free(pool[slot]);
		pool[slot] = i % 64 ? block : swap(&boxes[!me], block);
	}
	for (int i = 0; i < POOL; i++)
		free(pool[i]);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	unsigned long sum = 0;

	allocations = argc > 1 ? atol(argv[1]) : 14000000;
	for (int i = 0; i < THREADS; i++)
		pthread_mutex_init(&boxes[i].lock, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *r;

		pthread_join(t[i], &r);
		sum += (unsigned long)r;
	}
	for (int i = 0; i < THREADS; i++)
		free(boxes[i].block);
	printf("%lu\n", sum);
	return 0;
}
