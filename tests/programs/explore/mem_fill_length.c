/*
 * check-name: a memset whose place and length are inputs
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: global-buffer-overflow fill
 */
#include <string.h>
#include <unistd.h>

static char line[16];

int main(void)
{
	unsigned char c[2];

	if (read(0, c, 2) != 2 || c[0] > 16 || c[1] > 16)
		return 1;
#ifdef CORRECT
	if (c[0] + c[1] > 16)
#else
	if (c[0] + c[1] > 17)
#endif
		return 2;
	memset(line + c[0], 'x', c[1]); /* BUG: fill */
	if (c[1] && line[c[0]] != 'x')
		return 3;
	return c[0] && line[c[0] - 1];
}
