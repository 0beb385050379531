/*
 * check-name: a number read by atoi
 * check-command: heddle explore --sym argv[1]:3 -- $exe 7
 * check-finds: overflow index
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, *p;

	if (n < 0)
		return 1;
	p = calloc(20, sizeof *p);
#ifdef CORRECT
	if (n >= 20)
		return 2;
#else
	if (n > 20)
		return 2;
#endif
	p[n] = 1; /* BUG: index */
	free(p);
	return 0;
}
