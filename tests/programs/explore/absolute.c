/*
 * check-name: the absolute value that is negative
 * check-command: heddle explore -- $exe
 * check-finds: global-buffer-overflow index
 */
#include <heddle/heddle.h>

static int seen[60];

int main(void)
{
	int hash = 0, i;

	heddle_input(&hash, sizeof hash, "hash");
	i = hash < 0 ? (int)-(unsigned)hash : hash;
#ifdef CORRECT
	i &= 0x7fffffff;
#endif
	i %= 60;
	seen[i]++; /* BUG: index */
	return 0;
}
