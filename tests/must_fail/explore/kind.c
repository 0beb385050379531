/*
 * check-name: another kind than what is found
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: null word
 * must-fail: check-finds: nothing for 'null word'
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
