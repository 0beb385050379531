/*
 * check-name: a second bug of which nothing is said
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert word
 * must-fail: one too many: division
 */
#include <assert.h>
#include <unistd.h>

int main(void)
{
	unsigned char c;
	volatile int x;

	if (read(0, &c, 1) != 1)
		return 1;
	assert(c != 3); /* BUG: word */
	x = 12 / c;
	return x == 100;
}
