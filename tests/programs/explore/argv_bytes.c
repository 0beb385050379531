/*
 * check-name: the bytes of an argument, one by one
 * check-command: heddle explore --sym argv[1]:3 -- $exe abx
 * check-finds: null bytes
 */
#include <stddef.h>

int main(int argc, char **argv)
{
	const char *s = argc > 1 ? argv[1] : "";
	int *p = NULL, x = 0;

	if (s[0] == 'a' && s[1] == 'b' && s[2] == 'c')
#ifdef CORRECT
		p = &x;
	else
		p = &x;
#else
		p = NULL;
	else
		p = &x;
#endif
	*p = 1; /* BUG: bytes */
	return x - 1;
}
