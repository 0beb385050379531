/*
 * check-name: what is assumed is not found
 * explore-args: --sym stdin:1
 * explore-finds: assertion-failure small
 * explore-paths: 1
 */
#include <assert.h>
#include <heddle/heddle.h>
#include <unistd.h>

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
#ifdef CORRECT
	heddle_assume(c > 10);
#else
	heddle_assume(c < 10);
#endif
	assert(c >= 10); /* BUG: small */
	return 0;
}
