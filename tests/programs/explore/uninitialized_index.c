/*
 * check-name: uninitialized bytes of a block of symbolic size decide, and are an index
 * check-command: heddle explore -- $exe
 * check-finds: use-of-uninitialized-value decides
 * check-finds: use-of-uninitialized-value index
 */
#include <heddle/heddle.h>
#include <stdlib.h>

static unsigned char table[8];
static unsigned char in[2];

int main(void)
{
	unsigned char *q, c;

	heddle_input(in, sizeof in, "in");
	heddle_assume(in[0] < 4 && in[1] < 4);
	q = malloc(in[0] + 1);
	if (!q)
		return 1;
#ifdef CORRECT
	q[0] = 3;
#else
	if (in[1] != 3)
		q[0] = 5;
#endif
	c = q[0];
	if (in[0] == 2)
		return table[c & 7]; /* BUG: index */
	if ((c & 3) == in[1]) /* BUG: decides */
		return 2;
	return 0;
}
