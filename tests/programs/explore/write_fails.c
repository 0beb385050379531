/*
 * check-name: a write may fail, the first or a later one
 * check-command: heddle explore --sym syscall:write -- $exe
 * check-test: no
 * check-finds: assert short
 */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

int main(void)
{
	int done = 0;

	for (int i = 0; i < 3; i++)
		if (write(1, "x", 1) == 1)
			done++;
		else if (errno != EIO)
			return 1;
#ifdef CORRECT
	assert(done >= 0 && done <= 3);
#else
	assert(done != 2); /* BUG: short */
#endif
	return 0;
}
