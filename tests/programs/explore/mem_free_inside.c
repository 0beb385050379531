/*
 * check-name: free of a pointer into a block
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: bad-free inside
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	char *p = malloc(16);
	unsigned char c;

	if (!p || read(0, &c, 1) != 1)
		return 1;
#ifdef CORRECT
	c = c > 15 ? 15 : 0;
	c /= 16;
#endif
	free(p + c % 16); /* BUG: inside */
	return 0;
}
