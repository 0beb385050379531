/*
 * check-name: a number read by scanf is out of range
 * check-command: heddle explore --sym stdin:4 -- $exe
 * check-finds: global-buffer-overflow table
 */
#include <stdio.h>

static volatile int table[20];

int main(void)
{
	int k;

	if (scanf("%d", &k) != 1)
		return 1;
#ifdef CORRECT
	if (k < 0)
		return 2;
#endif
	if (k >= 20)
		return 3;
	table[k] = 1; /* BUG: table */
	return 0;
}
