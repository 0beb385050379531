/* Five bytes, two ways each. */
#include <heddle/heddle.h>

int main(void)
{
	unsigned char c[5];
	int n = 0;

	heddle_input(c, sizeof c, "c");
	for (int i = 0; i < 5; i++)
		if (c[i] > 100)
			n = 3 * n + 1; /* no select: the compiler must branch */
		else
			asm volatile("" ::: "memory");
	return n & 7;
}
