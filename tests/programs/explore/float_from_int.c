/*
 * check-name: integers become floats and come back
 * check-command: heddle explore --sym stdin:4 -- $exe
 * check-finds: assert back
 */
#include <assert.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[4];
	int i;

	if (read(0, c, 4) != 4)
		return 1;
	memcpy(&i, c, 4);
	if (i < 0 || i > 1 << 25)
		return 0;
#ifdef CORRECT
	assert((int)(double)i == i);
#else
	assert((int)(float)i == i); /* BUG: back */
#endif
	return 0;
}
