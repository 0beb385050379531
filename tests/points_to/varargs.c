/* variable arguments, structures by value, several results */
#include "expect.h"

#include <stdarg.h>

struct big {
	int *a, *b, *c, *d;
};
struct two {
	int *a, *b;
};
int x, y, z;

static int *pick(int n, ...)
{
	va_list ap;
	int *p = 0;

	va_start(ap, n);
	while (n--)
		p = va_arg(ap, int *);
	va_end(ap);
	expect(p, "x y");
	return p;
}

static void takes(struct big b, struct two t)
{
	expect(b.a, "x");
	expect(b.d, "y");
	expect(b.b, "z");
	expect(t.a, "z");
	expect(t.b, "x");
	b.b = &z;
}

static struct two makes(int *a)
{
	return (struct two){a, &y};
}

static struct big makes_big(int *a)
{
	struct big b = {a, &y, 0, 0};

	return b;
}

int main(void)
{
	struct big b = {0}, c;
	struct two t, u;

	b.a = &x;
	b.d = &y;
	t.a = &z;
	t.b = &x;
	takes(b, t);
	expect(b.b, "-");
	expect(pick(2, &x, &y), "x y");
	u = makes(&x);
	expect(u.a, "x");
	expect(u.b, "y");
	c = makes_big(&z);
	expect(c.a, "z");
	expect(c.b, "y");
	expect(c.d, "-");
	return 0;
}
