/*
 * Fork-join, of the shape of PARSEC's blackscholes: every thread prices its share of the options, again
 * and again; nothing is shared but the input and the table of results. In fixed point, 16 bits behind the
 * point.
 *
 * context blackscholes: price:{core}@T1,price:{core}@T2,price:{core}@T3,main:{join}@T0
 * branches: 20
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, RUNS = 4, MOST = 64, ONE = 1 << 16 };

struct option {
	int spot, strike, rate, volatility, time;
	char type; /* 'P' or 'C' */
};

static struct option options[MOST];
static int prices[MOST];
static int noptions, nthreads;

static int multiply(int a, int b)
{
	return (int)((long long)a * b >> 16);
}

/* the normal distribution, by a polynomial on the positive side */
static int normal(int x)
{
	int negative = 0, k, y;

	if (x < 0) {
		x = -x;
		negative = 1;
	}
	k = x > 3 * ONE ? ONE : ONE - x / 6;
	y = ONE - multiply(k, multiply(k, k)) / 2;
	return negative ? ONE - y : y;
}

static int value(const struct option *o)
{
	int root = multiply(o->volatility, o->time);
	int d1 = multiply(o->spot - o->strike, o->rate) + root / 2;
	int d2 = d1 - root;
	int later = o->strike - multiply(o->strike, multiply(o->rate, o->time));

	if (o->type == 'P')
		return multiply(later, ONE - normal(d2)) - multiply(o->spot, ONE - normal(d1));
	return multiply(o->spot, normal(d1)) - multiply(later, normal(d2));
}

static void *price(void *arg)
{
	int id = (int)(long)arg;
	int start = id * (noptions / nthreads), end = start + noptions / nthreads;

	for (int run = 0; run < RUNS; run++)
		for (int i = start; i < end; i++) {
			int p = value(&options[i]); /* HERE: core */

			prices[i] = p;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	long long sum = 0;

	noptions = argc > 1 ? atoi(argv[1]) : 12;
	nthreads = THREADS;
	if (noptions < THREADS || noptions > MOST)
		return 1;
	for (int i = 0; i < noptions; i++)
		options[i] = (struct option){.spot = (40 + i) * ONE, .strike = 42 * ONE, .rate = ONE / 10,
			.volatility = ONE / 5, .time = ONE / 2, .type = i % 3 ? 'C' : 'P'};
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, price, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL); /* HERE: join */
	for (int i = 0; i < noptions; i++)
		sum += prices[i];
	printf("%lld\n", sum);
	return 0;
}
