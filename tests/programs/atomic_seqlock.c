/*
 * check-name: a seqlock whose data are atomic: readers never return a torn pair
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 40 consistent readings, last pair 12 144
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint seq;
static atomic_int x, xx; /* xx == x * x */

static void write_pair(int v)
{
	unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);

	atomic_store(&seq, s + 1);
	atomic_store(&x, v);
	atomic_store(&xx, v * v);
	atomic_store(&seq, s + 2);
}

static void read_pair(int *a, int *b)
{
	unsigned before, after;

	do {
		before = atomic_load(&seq);
		*a = atomic_load(&x);
		*b = atomic_load(&xx);
		after = atomic_load(&seq);
	} while (before != after || before % 2);
}

static void *reader(void *arg)
{
	int *n = arg, a, b;

	for (int i = 0; i < 20; i++) {
		read_pair(&a, &b);
		assert(b == a * a);
		++*n;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int n[2] = {0, 0}, a, b;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, reader, &n[i]);
	for (int v = 1; v <= 12; v++)
		write_pair(v);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	read_pair(&a, &b);
	printf("%d consistent readings, last pair %d %d\n", n[0] + n[1], a, b);
	return 0;
}
