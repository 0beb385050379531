/*
 * check-name: a quotient that does not fit
 * check-command: heddle explore --sym stdin:5 -- $exe
 * check-finds: division-overflow quotient
 */
#include <string.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[5];
	int a, b;

	if (read(0, c, 5) != 5)
		return 1;
	memcpy(&a, c, 4);
	b = (signed char)c[4];
	if (b == 0)
		return 2;
#ifdef CORRECT
	if (a < -1000000)
		return 3;
#endif
	return a / b == 77; /* BUG: quotient */
}
