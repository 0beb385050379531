/*
 * check-name: a copy whose length is an input
 * check-command: heddle explore --sym stdin:12 -- $exe
 * check-finds: stack-buffer-overflow length
 */
#include <string.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[12];
	char name[8] = "";

	if (read(0, c, 12) != 12)
		return 1;
#ifdef CORRECT
	if (c[0] > 8)
#else
	if (c[0] > 9)
#endif
		return 2;
	memcpy(name, c + 1, c[0]); /* BUG: length */
	return c[0] > 2 && name[2] != (char)c[3];
}
