/*
 * check-name: a width from the environment is the size of a buffer
 * check-command: heddle explore --sym env:COLUMNS:3 -- $exe
 * check-finds: stack-buffer-overflow fill
 */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	const char *text = getenv("COLUMNS");
	char line[80], *end;
	long n;

	if (!text)
		return 1;
	n = strtol(text, &end, 10);
	if (*end || end == text)
		return 2;
#ifdef CORRECT
	if (n < 0 || n >= (long)sizeof line)
		return 3;
#else
	if (n > (long)sizeof line)
		return 3;
	if (n < 0)
		n = 0;
#endif
	line[n] = 0; /* BUG: fill */
	return 0;
}
