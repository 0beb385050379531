/*
 * check-name: one of two blocks is freed, an input says which is used
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: use-after-free use
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	int *a = calloc(2, sizeof *a), *b = calloc(2, sizeof *b), *p;
	unsigned char c;

	if (!a || !b || read(0, &c, 1) != 1)
		return 1;
	p = c & 4 ? a : b;
#ifndef CORRECT
	free(a);
#endif
	p[c & 1] = 7; /* BUG: use */
#ifdef CORRECT
	free(a);
#endif
	free(b);
	return 0;
}
