/* what unknown functions are given is theirs; what is not, is not */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *unknown(void *);
extern int *their_pointer;
int x, y, hidden;
struct box {
	int *p;
	int *(*f)(int *);
} box, safe;

static int *callback(int *p)
{
	expect(p, "ext");
	return &y;
}

static int *private(int *p)
{
	expect(p, "-");
	return p;
}

int main(int argc, char **argv)
{
	int local, kept;
	void *r;

	expect(argv, "argv");
	expect(argv[argc], "args?");
	safe.p = &hidden;
	safe.f = private;
	box.p = &x;
	box.f = callback;
	r = unknown(&box);
	expect(r, "ext");
	expect(box.p, "x ext");
	expect(safe.p, "hidden");
	expect(their_pointer, "ext main.local");
	expect(*(int **)r, "ext");
	printf("%p %s\n", (void *)&kept, getenv("HOME"));
	their_pointer = &local;
	expect(getenv("HOME"), "lib:getenv");
	expect(fopen("x", "r"), "heap:48");
	return (int)strlen(argv[0]);
}
