/*
 * check-name: memory that is written on some inputs only
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: use-of-uninitialized-value read
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	unsigned char c;
	int *p = malloc(sizeof *p);

	if (!p || read(0, &c, 1) != 1)
		return 1;
	if (c < 200)
		*p = c;
#ifdef CORRECT
	else
		*p = 0;
#endif
	if (*p > 100) /* BUG: read */
		return 2;
	free(p);
	return 0;
}
