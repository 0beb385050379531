/*
 * check-name: the absolute value that is negative
 * explore-finds: global-buffer-overflow index
 */
#include <heddle/heddle.h>

static int seen[64];

int main(void)
{
	int hash = 0, i;

	heddle_input(&hash, sizeof hash, "hash");
	i = hash < 0 ? (int)-(unsigned)hash : hash;
#ifdef CORRECT
	i &= 0x7fffffff;
#endif
	i %= 64;
	if (i < 0)
		i = i * 2 - 1000;
	seen[i]++; /* BUG: index */
	return 0;
}
