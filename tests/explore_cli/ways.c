/* A few ways, all to be seen: exits, a failed assertion, a division by zero. */
#include <assert.h>
#include <heddle/heddle.h>

static volatile int quotient;

int main(void)
{
	unsigned char a, b;

	heddle_input(&a, sizeof a, "a");
	heddle_input(&b, sizeof b, "b");
	if (a < 10)
		return 1;
	if (a == 77)
		assert(b < 128);
	if (b == 5)
		quotient = 10 / (a - 99);
	for (int i = 0; i < 3; i++)
		if (b & 1 << i)
			return 2 + i;
	return 0;
}
