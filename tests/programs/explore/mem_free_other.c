/*
 * check-name: free of something that no malloc gave
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: bad-free other
 */
#include <stdlib.h>
#include <unistd.h>

static char fixed[32];

int main(void)
{
	unsigned char n;
	char *p;

	if (read(0, &n, 1) != 1)
		return 1;
	p = n <= sizeof fixed ? fixed : malloc(n);
	if (!p)
		return 2;
	p[n - 1 < 0 ? 0 : n - 1] = 1;
#ifdef CORRECT
	if (p != fixed)
#endif
		free(p); /* BUG: other */
	return 0;
}
