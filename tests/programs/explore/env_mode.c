/*
 * check-name: a variable of the environment
 * check-command: heddle explore --sym env:MODE:2 -- $exe
 * check-finds: division mode
 */
#include <stdlib.h>

int main(void)
{
	const char *mode = getenv("MODE");
	int divisor = 3;
	volatile int quotient;

	if (!mode)
		return 0;
	for (; *mode; mode++)
		if (*mode == '-')
			divisor--;
		else if (*mode == '/')
			divisor -= 2;
#ifdef CORRECT
	if (divisor == 0)
		return 1;
#endif
	quotient = 12 / divisor; /* BUG: mode */
	return quotient == 100;
}
