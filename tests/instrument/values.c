/* Values of every shape through memory that other threads may write, and through calls. */
#include <complex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float v4 __attribute__((vector_size(16)));
typedef int v8 __attribute__((vector_size(32)));
struct small { char c; short s; };
struct pair { double d; long l; };
struct big { char text[100]; int n; };
struct bits { unsigned a : 3, b : 11; bool c; };

static v4 vector;
static v8 wide_vector;
static struct small small;
static struct pair pair;
static struct big big;
static struct bits bits;
static long double ld;
static __int128 wide;
static bool flag;
static _Complex double z;
static _Atomic int counter;
static _Atomic(void *) pointer;
static _Thread_local int mine;

static struct small get_small(void) { return small; }
static struct pair get_pair(struct pair p) { p.l += pair.l; return p; }
static int sum_big(struct big b) { return b.n + b.text[99]; }
static long double mix(long double a, __int128 b, bool c) { return a + (long)(b >> 64) + c; }

static void *work(void *arg)
{
	struct big copy = big;
	long n = (long)arg;

	for (int i = 0; i < 1000; i++) {
		int old = atomic_load(&counter);

		while (!atomic_compare_exchange_weak(&counter, &old, old + (int)n))
			;
		mine += old >= 0;
	}
	atomic_exchange(&pointer, &mine);
	return (void *)(long)(sum_big(copy) + mine);
}

static int compare(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	void *r[2];

	(void)argv;
	vector = (v4){1, 2, 3, (float)argc};
	wide_vector = (v8){1, 2, 3, 4, 5, 6, 7, argc};
	small = (struct small){'x', -3};
	pair = (struct pair){1.5, 42};
	snprintf(big.text, sizeof big.text, "a text of some length, %d", argc);
	big.n = 7;
	big.text[99] = 5;
	bits = (struct bits){5, 1000, true};
	ld = 1.25L;
	wide = ((__int128)1 << 100) + 5;
	flag = argc == 1;
	z = 1 + 2 * I;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], &r[i]);
	qsort(big.text, 24, 1, compare);
	vector += vector;
	wide_vector *= wide_vector;
	z *= z;
	memmove(big.text + 1, big.text, 60);
	printf("%g %d %d %s|\n", (double)vector[3], wide_vector[5], get_small().s, big.text);
	printf("%ld %ld %Lg %d\n", get_pair(pair).l, (long)(wide >> 90), mix(ld, wide, flag), flag);
	printf("%u %u %d %g %g\n", bits.a, bits.b, bits.c, creal(z), cimag(z));
	printf("%d %ld %ld %d\n", counter, (long)r[0], (long)r[1], pointer != NULL);
	return 0;
}
