/*
 * check-name: a comparison of blocks
 * check-command: heddle explore --sym stdin:8 -- $exe
 * check-finds: assert secret
 */
#include <assert.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char c[8];

	if (read(0, c, 8) != 8)
		return 1;
#ifdef CORRECT
	assert(memcmp(c, "sesame!!", 8) || c[7] == '!');
#else
	assert(memcmp(c, "sesame!!", 8)); /* BUG: secret */
#endif
	return 0;
}
