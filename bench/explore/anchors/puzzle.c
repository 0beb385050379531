/* A puzzle over bit vectors: few inputs of 64 bits pass all the checks.
 * explore: --sym stdin:8 -- */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static uint32_t rotate(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

int main(void)
{
	uint32_t k[2];
	unsigned char bytes[8];

	if (read(0, bytes, 8) != 8)
		return 1;
	memcpy(k, bytes, 8);
	if ((rotate(k[0], 7) ^ k[1]) != 0x5bd1e995)
		return 2;
	if ((k[0] * 9 + k[1]) % 4096 != 77)
		return 3;
	if (__builtin_popcount(k[0]) != 13)
		return 4;
	if ((k[1] & 0xff) * (k[0] >> 24) != 0x1f8)
		return 5;
	return 0;
}
