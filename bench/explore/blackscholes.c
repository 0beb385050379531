/*
 * Fork-join, of the shape of PARSEC's blackscholes: every thread prices its share of the options, again
 * and again; nothing is shared but the input and the table of results. In fixed point, 16 bits behind the
 * point.
 *
 * context blackscholes: price:{core}@T1,price:{core}@T2,price:{core}@T3,main:{join}@T0
 * branches: 6
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, RUNS = 4, MOST = 64, ONE = 1 << 16 };

struct option {
	int spot, strike, rate, volatility, time;
	char type; /* 'P' or 'C' */
};

static struct option options[MOST];
static int prices[MOST];
static unsigned noptions, nthreads;

/* the normal distribution, by two straight lines on the positive side */
static int normal(int x)
{
	int negative = 0, y;

	if (x < 0) {
		x = -x;
		negative = 1;
	}
	y = x > 2 * ONE ? ONE : ONE / 2 + (x >> 2);
	return negative ? ONE - y : y;
}

static int value(const struct option *o)
{
	int root = (o->volatility >> 1) + (o->time >> 2);
	int d1 = ((o->spot - o->strike) >> 3) + o->rate + (root >> 1);
	int d2 = d1 - root;
	int later = o->strike - (o->strike >> 4);

	if (o->type == 'P')
		return (later >> 8) - normal(d2) - (o->spot >> 8) + normal(d1);
	return (o->spot >> 8) + normal(d1) - (later >> 8) - normal(d2);
}

static void *price(void *arg)
{
	unsigned id = (unsigned)(unsigned long)arg;

	for (unsigned run = 0; run < RUNS; run++)
		for (unsigned i = id; i < noptions; i += nthreads) {
			int p = value(&options[i]); /* HERE: core */

			prices[i] = p;
		}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	long long sum = 0;

	noptions = 12;
	nthreads = THREADS;
	for (unsigned i = 0; i < noptions; i++)
		options[i] = (struct option){.spot = (40 + (int)i) * ONE, .strike = 42 * ONE, .rate = ONE / 10,
			.volatility = ONE / 5, .time = ONE / 2, .type = i % 3 ? 'C' : 'P'};
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, price, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL); /* HERE: join */
	for (unsigned i = 0; i < noptions; i++)
		sum += prices[i];
	printf("%lld\n", sum);
	return 0;
}
