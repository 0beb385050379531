/*
 * check-name: code that is marked as unreachable
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: unreachable mark
 * check-flags: -O0
 */
#include <unistd.h>

static __attribute__((noinline)) int weight(unsigned char c)
{
	switch (c % 5) {
	case 0: return 1;
	case 1: return 3;
	case 2: return 4;
	case 3: return 8;
#ifdef CORRECT
	case 4: return 9;
#endif
	}
	__builtin_unreachable(); /* BUG: mark */
}

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
	return weight(c) > 10;
}
