/*
 * check-name: an input that selects a constant to write to
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: write-to-constant put
 */
#include <unistd.h>

static const char fixed[4] = "abc";
static char free_[4];

int main(void)
{
	unsigned char c;
	char *p;

	if (read(0, &c, 1) != 1)
		return 1;
	p = c > 100 ? (char *)fixed : free_;
#ifdef CORRECT
	if (p == fixed)
		return 2;
#endif
	p[c & 3] = 'x'; /* BUG: put */
	return 0;
}
