/* function pointers: tables, fields, parameters, callbacks of the library */
#include "expect.h"

#include <stdlib.h>

typedef int *(*fn)(int *);
int x, y, z;

static int *f(int *p) { return p; }
static int *g(int *p) { (void)p; return &z; }
static int *h(int *p) { return p; }
static int *unused(int *p) { return p; }

static const fn table[] = {f, g};
struct ops {
	fn open, close;
};
static const struct ops ops = {.open = f, .close = h};
fn variable = unused;

static int *apply(fn k, int *p)
{
	expect_calls("g h");
	return k(p);
}

static int compare(const void *a, const void *b)
{
	expect(a, "numbers+0%4");
	expect(b, "numbers+0%4");
	return *(const int *)a - *(const int *)b;
}

static int find(const void *key, const void *elem)
{
	expect(key, "main.k");
	expect(elem, "numbers+0%4");
	return *(const int *)key - *(const int *)elem;
}

int numbers[10];
struct pair {
	int *a, *b;
} pairs[4];

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	expect(x->a, "x y");
	expect(y->b, "z");
	return *x->a - *y->a;
}

int main(int argc, char **argv)
{
	int k = 3;

	(void)argv;
	expect_calls("f g");
	expect(table[argc](&x), "x z");
	expect_calls("f");
	expect(ops.open(&x), "x");
	expect_calls("h");
	expect(ops.close(&y), "x y");
	expect(apply(g, &x), "x y z");
	expect(apply(h, &x), "x y z");
	expect_calls("unused");
	expect(variable(&y), "y");
	qsort(numbers, 10, sizeof *numbers, compare);
	expect(bsearch(&k, numbers, 10, sizeof *numbers, find), "numbers+0%4");
	pairs[0].a = &x;
	pairs[1].a = &y;
	pairs[2].b = &z;
	expect(pairs[3].b, "z");
	qsort(pairs, 3, sizeof *pairs, compare_pairs);
	expect(pairs[0].a, "x y"); /* the elements change places, the fields do not */
	expect(pairs[0].b, "z");
	return 0;
}
