/*
 * check-name: another number of paths
 * explore-args: --sym stdin:1
 * explore-finds: assertion-failure word
 * explore-paths: 5
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
