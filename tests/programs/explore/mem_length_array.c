/*
 * check-name: an array on the stack whose length is an input
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: stack-buffer-overflow length
 */
#include <unistd.h>

int main(void)
{
	unsigned char c[2];

	if (read(0, c, 2) != 2 || c[0] < 1 || c[0] > 6)
		return 1;
	{
		char a[c[0]];

#ifdef CORRECT
		if (c[1] >= c[0])
#else
		if (c[1] > c[0])
#endif
			return 2;
		a[c[1]] = 1; /* BUG: length */
		return !a[c[1]];
	}
}
