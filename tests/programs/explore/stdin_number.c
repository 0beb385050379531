/*
 * check-name: a number of up to two digits indexes a table
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: global-buffer-overflow table
 */
#include <stdio.h>
#include <unistd.h>

static volatile int table[95];

int main(void)
{
	unsigned char text[2];
	unsigned n = 0;

	if (read(0, text, sizeof text) != sizeof text)
		return 1;
	for (int i = 0; i < 2 && text[i] >= '0' && text[i] <= '9'; i++)
		n = 10 * n + (text[i] - '0');
#ifdef CORRECT
	if (n >= 95)
		return 1;
#endif
	table[n]++; /* BUG: table */
	return 0;
}
