/* struct fields that hold different pointers do not mix */
#include "expect.h"

int x, y, z;
struct s {
	int *a;
	long n;
	int *b;
	struct { int *c, *d; } in;
} one, two;

static void set(struct s *s, int *p)
{
	s->in.d = p;
}

int main(void)
{
	struct s copy;

	one.a = &x;
	one.b = &y;
	one.n = 5;
	two.a = &z;
	set(&two, &y);
	copy = one;
	copy.in = two.in;
	expect(one.a, "x");
	expect(one.b, "y");
	expect(one.in.d, "-");
	expect(two.a, "z");
	expect(two.in.d, "y");
	expect(two.in.c, "-");
	expect(copy.a, "x");
	expect(copy.b, "y");
	expect(copy.in.d, "y");
	expect(&copy.b, "main.copy+16");
	expect((void *)one.n, "-");
	return 0;
}
