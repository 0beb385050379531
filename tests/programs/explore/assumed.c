/*
 * check-name: what is assumed is not found
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert small
 * check-paths: 1
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
