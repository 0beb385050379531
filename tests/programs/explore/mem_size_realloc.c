/*
 * check-name: a block that grows by an input keeps its bytes
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert kept
 */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[2];
	char *p;

	if (read(0, c, 2) != 2)
		return 1;
	p = malloc(4 + c[0] % 4);
	if (!p)
		return 2;
	p[3] = 42;
	p = realloc(p, 3 + c[1] % 8);
	if (!p)
		return 3;
#ifdef CORRECT
	if (c[1] % 8 >= 1)
#else
	if (c[1] % 8 >= 1 && (p[3] = p[3] + (c[0] == 9)))
#endif
		assert(p[3] == 42); /* BUG: kept */
	free(p);
	return 0;
}
