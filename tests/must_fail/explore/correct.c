/*
 * check-name: what is called correct has the bug
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert word
 * must-fail: CORRECT has assert
 */
#include <assert.h>
#include <unistd.h>

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
	assert(c != 3); /* BUG: word */
	return 0;
}
