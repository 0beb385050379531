/*
 * check-name: another place than where it is found
 * explore-args: --sym stdin:1
 * explore-finds: assertion-failure word
 * must-fail: explore-finds: nothing for 'assertion-failure word'
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
