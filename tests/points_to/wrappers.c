/* allocation wrappers: objects by the outermost caller; functions that only look like wrappers */
#include "expect.h"

#include <stdlib.h>
#include <string.h>

static void *xmalloc(size_t n)
{
	void *p = malloc(n);

	if (!p)
		abort();
	return p;
}

static void *xzalloc(size_t n)
{
	void *p = xmalloc(n);

	memset(p, 0, n);
	return p;
}

static char *xstrdup(const char *s)
{
	char *p = strdup(s);

	if (!p)
		exit(1);
	return p;
}

static void *xrealloc(void *p, size_t n)
{
	void *q = realloc(p, n);

	if (!q)
		abort();
	return q;
}

static void *either(int c, size_t n)
{
	return c ? xmalloc(n) : calloc(1, n);
}

static void *spare;
static void *recycled(size_t n)
{
	void *p = spare;

	if (p) {
		spare = NULL;
		return p;
	}
	return xmalloc(n);
}

static void *passed(void *p)
{
	return p ? p : xmalloc(8);
}

int x;

int main(int argc, char **argv)
{
	int **p = xmalloc(8);
	int **q = xmalloc(8);
	char *s = xstrdup(argv[0]);
	int **e = either(argc, 8);
	int **f = either(argc, 16);
	void *r, *t;

	*p = &x;
	expect(p, "heap:68");
	expect(q, "heap:69");
	expect(s, "heap:70");
	expect(e, "heap:71");
	expect(f, "heap:72");
	expect(*p, "x");
	r = recycled(4);
	t = recycled(8);
	spare = r;
	expect(r, "heap:56");
	expect(t, "heap:56");
	expect(passed(&x), "x heap:61");
	e = xrealloc(p, 16);
	expect(e, "heap:88");
	expect(*e, "x");
	f = xzalloc(24);
	expect(f, "heap:91");
	return 0;
}
