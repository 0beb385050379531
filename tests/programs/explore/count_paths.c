/*
 * check-name: one path for each way through
 * check-command: heddle explore --sym stdin:3 -- $exe
 * check-finds: assert all
 * check-paths: 8
 */
#include <assert.h>
#include <unistd.h>

int main(void)
{
	unsigned char c[3];
	int n = 0;

	if (read(0, c, 3) != 3)
		return 1;
	for (int i = 0; i < 3; i++)
		if (c[i] == 'x')
			n = 3 * n + 1; /* no select: the compiler must branch */
		else
			asm volatile("" ::: "memory");
#ifndef CORRECT
	assert(n != 13); /* BUG: all */
#endif
	return 0;
}
