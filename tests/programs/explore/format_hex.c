/*
 * check-name: a small parser of hexadecimal
 * check-command: heddle explore --sym stdin:3 -- $exe
 * check-finds: assert hex
 */
#include <assert.h>
#include <unistd.h>

static int digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
#ifdef CORRECT
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
#else
	if (c >= 'A' && c <= 'G')
		return c - 'A' + 10;
#endif
	return -1;
}

int main(void)
{
	unsigned char c[3];
	int v = 0;

	if (read(0, c, 3) != 3)
		return 1;
	for (int i = 0; i < 3; i++) {
		int d = digit(c[i]);

		if (d < 0)
			return 2;
		v = v << 4 | d;
		assert(d < 16); /* BUG: hex */
	}
	return v == 0xabc;
}
