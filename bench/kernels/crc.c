/* Table-driven CRC-32 over 3 MB: byte loads, shifts, xors on 32 bits. */
#include <stdio.h>

static unsigned table[256];
static unsigned char data[65536];

int main(void)
{
	unsigned crc = ~0u;

	for (unsigned i = 0; i < 256; i++) {
		unsigned c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
	for (unsigned i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * 7 + (i >> 3));
	for (int round = 0; round < 48; round++)
		for (unsigned i = 0; i < sizeof data; i++)
			crc = table[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
	printf("%d\n", (int)(crc & 0x7fffffff));
	return 0;
}
