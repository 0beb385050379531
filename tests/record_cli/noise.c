/* noise THREADS N: reads much that does not compress, from memory that another thread may write. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile uint64_t shared[16][512];

static void *work(void *arg)
{
	long n = (long)arg;
	static int next;
	int me = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
	uint64_t x = (uint64_t)me + 88172645463325252u;

	for (long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		shared[me][i & 511] += x;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = atol(argv[1]), n = atol(argv[2]);
	pthread_t t[16];

	(void)argc;
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, (void *)n);
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
