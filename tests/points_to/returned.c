/* functions of the library that return their argument */
#define _GNU_SOURCE
#include "expect.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

void *__memset_chk(void *, int, size_t, size_t);
char a[16], b[16], c[16];
wchar_t w[16];

int main(void)
{
	/* by pointers: the compiler would take a call by name for its own operation */
	void *(*volatile set)(void *, int, size_t) = memset;
	void *(*volatile set_checked)(void *, int, size_t, size_t) = __memset_chk;

	expect(set(a, 0, sizeof a), "a");
	expect(set_checked(b, 0, sizeof b, sizeof b), "b");
	expect(memfrob(c, sizeof c), "c");
	expect(fgetws(w, 16, stdin), "w");
	return 0;
}
