/*
 * check-name: another number of paths
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert word
 * check-paths: 5
 * must-fail: 2 paths
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
