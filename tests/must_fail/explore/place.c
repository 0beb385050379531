/*
 * check-name: another place than where it is found
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert word
 * must-fail: check-finds: nothing for 'assert word'
 */
#include <assert.h>
#include <unistd.h>

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1; /* BUG: word */
	assert(c != 3);
	return 0;
}
