/* Ways through six bytes, each with memory of its own. */
#include <heddle/heddle.h>

static unsigned long room[16384];

int main(void)
{
	unsigned char c[6];
	unsigned n = 1;

	heddle_input(c, sizeof c, "c");
	for (int i = 0; i < 6; i++) {
		if (c[i] > 100)
			n = 3 * n + 1; /* no select: the compiler must branch */
		else
			asm volatile("" ::: "memory");
		for (unsigned k = 0; k < 16384; k++)
			room[k] = 0x9e3779b97f4a7c15 * (n + k);
	}
	return (int)(room[77] & 7);
}
