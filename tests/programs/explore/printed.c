/*
 * check-name: symbolic bytes are printed
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert printed
 */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	unsigned char c;
	int n;

	if (read(0, &c, 1) != 1)
		return 1;
	n = printf("%u\n", c);
#ifdef CORRECT
	assert(n >= 2 && n <= 4);
#else
	assert(n != 4); /* BUG: printed */
#endif
	return 0;
}
