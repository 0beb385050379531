/*
 * check-name: variadic arguments that are symbolic
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert sum
 */
#include <assert.h>
#include <stdarg.h>
#include <unistd.h>

static __attribute__((noinline)) long sum(int n, ...)
{
	va_list ap;
	long s = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		s += i & 1 ? (long)va_arg(ap, double) : va_arg(ap, int);
	va_end(ap);
	return s;
}

int main(void)
{
	unsigned char c[2];
	long s;

	if (read(0, c, 2) != 2)
		return 1;
	s = sum(4, c[0], 2.0, (int)c[1], 3.0);
#ifdef CORRECT
	assert(s <= 515);
#else
	assert(s != 300); /* BUG: sum */
#endif
	return 0;
}
