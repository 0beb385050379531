/* Lock-heavy hash table: chains under striped mutexes, two threads. Argument: operations of each.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 1 << 14, STRIPES = 64, KEYS = 1 << 15, THREADS = 2 };

struct entry {
	struct entry *next;
	unsigned long key, value;
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t locks[STRIPES];
static long operations;

static unsigned long mix(unsigned long x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdul;
	x ^= x >> 29;
	return x;
}

static void add(unsigned long key, unsigned long amount)
{
	unsigned long b = mix(key) % BUCKETS;
	pthread_mutex_t *lock = &locks[b % STRIPES];
	struct entry *e;

	pthread_mutex_lock(lock);
	for (e = buckets[b]; e && e->key != key; e = e->next)
		;
	if (!e) {
		e = malloc(sizeof *e);
		if (!e)
			abort();
		*e = (struct entry){buckets[b], key, 0};
		buckets[b] = e;
	}
	e->value += amount;
	pthread_mutex_unlock(lock);
}

static void *work(void *arg)
{
	unsigned long x = (unsigned long)arg + 1;

	for (long i = 0; i < operations; i++) {
		x = x * 6364136223846793005ul + 1442695040888963407ul;
		add((x >> 40) % KEYS, x >> 60);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	unsigned long sum = 0;

	operations = argc > 1 ? atol(argv[1]) : 7000000;
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int b = 0; b < BUCKETS; b++)
		for (struct entry *e = buckets[b]; e; e = e->next)
			sum += mix(e->key) ^ e->value;
	printf("%lu\n", sum);
	return 0;
}
