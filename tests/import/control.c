/* Control flow: switch, computed goto, loops with several phis, select, tail, cleanup, calls. */
#include "check.h"

#include <stdint.h>

static int machine(const unsigned char *code)
{
	static const void *const labels[] = {&&push, &&add, &&mul, &&swap, &&ret};
	int stack[8], n = 0, t;

	goto *labels[*code++];
push:
	stack[n++] = *code++;
	goto *labels[*code++];
add:
	n--;
	stack[n - 1] += stack[n];
	goto *labels[*code++];
mul:
	n--;
	stack[n - 1] *= stack[n];
	goto *labels[*code++];
swap:
	t = stack[n - 1];
	stack[n - 1] = stack[n - 2];
	stack[n - 2] = t;
	goto *labels[*code++];
ret:
	return stack[n - 1];
}

/* the copies of the loop's edge are parallel: a swap needs no temporary */
static unsigned swap_loop(unsigned a, unsigned b, int n)
{
	while (n-- > 0) {
		unsigned t = a;

		a = b;
		b = t;
	}
	return a;
}

static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int duff(char *to, const char *from, int n)
{
	int rounds = (n + 3) / 4;

	switch (n % 4) {
	case 0: do { *to++ = *from++; /* fall through */
	case 3: *to++ = *from++; /* fall through */
	case 2: *to++ = *from++; /* fall through */
	case 1: *to++ = *from++;
		} while (--rounds > 0);
	}
	return n;
}

static int cleaned;
static void clean(int *p)
{
	cleaned += *p;
}

static int with_cleanup(int k)
{
	int a __attribute__((cleanup(clean))) = 1;

	if (k) {
		int b __attribute__((cleanup(clean))) = 10;

		return b + a;
	}
	return a;
}

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int old_style();
static int old_style(a, b) int a; char b; { return a + b; }

static int dispatch(int k)
{
	int (*const table[])(int) = {twice, thrice};
	int (*f)(int) = k < 2 ? table[k] : k == 2 ? fib : 0;

	return f ? f(7) : -1;
}

static int gcd(int a, int b)
{
	for (;;) {
		if (!b)
			return a;
		int t = a % b;
		a = b;
		b = t;
	}
}

static long nested(int n)
{
	long s = 0;

	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++) {
			if ((i ^ j) & 1)
				continue;
			if (j > 7)
				break;
			s += i * 10 + j;
		}
	return s;
}

static uint64_t sparse(uint64_t x)
{
	switch (x) {
	case 1: return 10;
	case 1000: return 20;
	case 1000000000000: return 30;
	case UINT64_MAX: return 40;
	}
	return x & 1 ? 50 : 60;
}

int main(void)
{
	static const unsigned char code[] = {0, 6, 0, 2, 3, 0, 5, 1, 2, 4};
	char buf[8] = "";

	CHECK(machine(code) == 22);
	CHECK(swap_loop(HIDE(1u), HIDE(2u), HIDE(3)) == 2 && swap_loop(1, 2, HIDE(4)) == 1);
	CHECK(fib(HIDE(15)) == 610);
	CHECK(duff(buf, "abcdefg", HIDE(7)) == 7 && buf[6] == 'g');
	CHECK(with_cleanup(HIDE(1)) == 11 && cleaned == 11 && with_cleanup(HIDE(0)) == 1 && cleaned == 12);
	CHECK(dispatch(HIDE(0)) == 14 && dispatch(HIDE(1)) == 21 && dispatch(HIDE(2)) == 13);
	CHECK(dispatch(HIDE(3)) == -1 && gcd(HIDE(84), 36) == 12 && nested(HIDE(12)) == 590);
	CHECK(sparse(HIDE(1000000000000ull)) == 30 && sparse(~HIDE(0ull)) == 40);
	CHECK(sparse(HIDE(7ull)) == 50 && sparse(HIDE(8ull)) == 60);
	CHECK(old_style(HIDE(3), HIDE(4)) == 7);
	CHECK(__builtin_expect(HIDE(1), 1) && __builtin_constant_p(HIDE(3)) == 0);
	return 0;
}
