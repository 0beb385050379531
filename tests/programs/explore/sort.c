/*
 * check-name: a sort of four bytes
 * check-command: heddle explore --sym stdin:4 -- $exe
 * check-finds: assert order
 */
#include <assert.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[4];

	if (read(0, c, 4) != 4)
		return 1;
	for (int i = 1; i < 4; i++)
#ifdef CORRECT
		for (int k = i; k > 0 && c[k - 1] > c[k]; k--) {
#else
		for (int k = i; k > 1 && c[k - 1] > c[k]; k--) {
#endif
			unsigned char x = c[k];

			c[k] = c[k - 1];
			c[k - 1] = x;
		}
	for (int i = 1; i < 4; i++)
		assert(c[i - 1] <= c[i]); /* BUG: order */
	return 0;
}
