/*
 * Branches, a switch, a division, an address, an assertion and floating point that depend on what
 * another thread writes.
 *
 * ctp: assert .*r!.*@guards.c:43
 * ctp: branch .*@guards.c:31
 * ctp: branch .*@guards.c:33
 * ctp: divisor address .*@guards.c:38
 * ctp: dereference base .*@guards.c:39
 * ctp: fix .*@guards.c:40
 * ctp: write c\d+ := .*bvadd.*@guards.c:41
 * ctp-not: update
 */
#include <assert.h>
#include <pthread.h>

static volatile int x = 3, out;
static int table[16];
static double half;

static void *change(void *arg)
{
	x = x + 1 - 1;
	return arg;
}

static void *look(void *arg)
{
	int v = x;

	if (v > 100)
		out = 1;
	switch (v) {
	case 1: out = 10; break;
	case 3: out = 30; break;
	default: out = 50; break;
	}
	out = 60 / v;
	table[x & 15] = 1;
	half = x * 0.5;
	out = x + 7;
	v = x;
	assert(v != 77);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, change, NULL);
	pthread_create(&b, NULL, look, NULL);
	out = 0;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return table[3] != 1 || half != 1.5 || out != 10;
}
