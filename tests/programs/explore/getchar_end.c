/*
 * check-name: the standard input may end after any number of bytes
 * check-command: heddle explore --sym stdin:0-4 -- $exe
 * check-finds: division mean
 */
#include <stdio.h>

int main(void)
{
	int c, n = 0, sum = 0;

	while ((c = getchar()) != EOF && c != '\n') {
		sum += c;
		n++;
	}
#ifdef CORRECT
	if (!n)
		return 1;
#endif
	sum /= n; /* BUG: mean */
	return sum > 127;
}
