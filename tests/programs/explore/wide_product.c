/*
 * check-name: a product of 128 bits
 * check-command: heddle explore --sym stdin:8 -- $exe
 * check-finds: assert product
 */
#include <assert.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	unsigned a, b;
	unsigned char c[8];
	unsigned __int128 p;

	if (read(0, c, 8) != 8)
		return 1;
	memcpy(&a, c, 4);
	memcpy(&b, c + 4, 4);
	p = (unsigned __int128)a << 70 | b;
#ifdef CORRECT
	assert((unsigned)(p >> 70) == a);
#else
	assert(p >> 64 != (unsigned __int128)0x1234 << 6 || b != 7); /* BUG: product */
#endif
	return 0;
}
