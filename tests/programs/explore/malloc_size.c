/*
 * check-name: a block whose size is an input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: overflow size
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	unsigned char n;
	char *p;

	if (read(0, &n, 1) != 1 || n < 1)
		return 1;
	p = malloc(n);
	if (!p)
		return 2;
#ifdef CORRECT
	p[n - 1] = 0;
#else
	p[n] = 0; /* BUG: size */
#endif
	free(p);
	return 0;
}
