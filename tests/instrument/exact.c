/* check-flags: -O3 -ffast-math -ffp-contract=fast
 * Fast-math as the user asked for it natively, but here only exact numbers can be compared: sums of
 * powers of two. And assembler that is taken apart. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static double x[64], y[64];
static unsigned shared = 5;
static uint64_t big = 1;

static unsigned add(unsigned *p, unsigned n)
{
	__asm__ volatile("lock; xaddl %0, %1" : "+r"(n), "+m"(*p) : : "memory", "cc");
	return n;
}

static int swap(uint64_t *p, uint64_t from, uint64_t to)
{
	unsigned char done;

	__asm__ volatile("lock; cmpxchgq %3, %1; sete %0"
			 : "=q"(done), "+m"(*p), "+a"(from)
			 : "r"(to)
			 : "memory", "cc");
	return done;
}

static unsigned read_it(unsigned *p)
{
	unsigned v;

	__asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*p));
	return v;
}

static void *work(void *arg)
{
	double s = 0;

	for (int i = 0; i < 64; i++)
		s += x[i] * y[i] + 0.5;
	add(&shared, (unsigned)s);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	unsigned lo, hi;

	(void)argv;
	for (int i = 0; i < 64; i++) {
		x[i] = (double)(1 << (i % 8));
		y[i] = (double)argc / 4;
	}
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	printf("%u %u ", add(&shared, 3), read_it(&shared));
	printf("%d %d %lu %d\n", swap(&big, 1, 77), swap(&big, 1, 78), (unsigned long)big, lo + hi != 0);
	return 0;
}
