/*
 * check-name: an input that is used as a pointer
 * check-command: heddle explore --sym stdin:8 -- $exe
 * check-finds: wild follow
 */
#include <unistd.h>

static int known;

int main(void)
{
	int *p;

	if (read(0, &p, sizeof p) != sizeof p)
		return 1;
#ifdef CORRECT
	if (p != &known)
		return 2;
#endif
	return *p; /* BUG: follow */
}
