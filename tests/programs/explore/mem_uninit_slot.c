/*
 * check-name: a slot of an array that no input has filled
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: use-of-uninitialized-value slot
 */
#include <unistd.h>

int main(void)
{
	unsigned char c[2];
	int a[8];

	if (read(0, c, 2) != 2)
		return 1;
#ifdef CORRECT
	c[1] = c[0];
#endif
	a[c[0] & 7] = 5;
	if (a[c[1] & 7] == 5) /* BUG: slot */
		return 0;
	return 2;
}
