/*
 * check-name: recursion whose depth is an input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: global-buffer-overflow deep
 */
#include <unistd.h>

static int stack[8];

static __attribute__((noinline)) int walk(unsigned n, int depth)
{
#ifdef CORRECT
	if (depth >= 8)
		return 0;
#endif
	stack[depth] = n; /* BUG: deep */
	if (n <= 1)
		return 1;
	return walk(n & 1 ? (n - 1) / 2 : n / 2, depth + 1) + 1;
}

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
	return walk(c | 0x100, 0) > 100;
}
