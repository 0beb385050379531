/*
 * check-name: a store below an array on the stack
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: stack-buffer-overflow below
 */
#include <unistd.h>

int main(void)
{
	short a[8] = {0};
	signed char i;

	if (read(0, &i, 1) != 1)
		return 1;
#ifdef CORRECT
	if (i < 0)
		return 2;
#endif
	if (i >= -1 && i < 8) {
		a[i] = 3; /* BUG: below */
		return a[i] != 3;
	}
	return 0;
}
