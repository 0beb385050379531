/*
 * check-name: a string that is longer than the buffer
 * check-command: heddle explore --sym argv[1]:6 -- $exe name
 * check-finds: stack-buffer-overflow copy
 */
#include <string.h>

int main(int argc, char **argv)
{
	char buffer[5];
	const char *s = argc > 1 ? argv[1] : "";
	int i = 0;

#ifdef CORRECT
	if (strlen(s) >= sizeof buffer)
		return 1;
#endif
	do
		buffer[i] = s[i]; /* BUG: copy */
	while (s[i++]);
	return buffer[0] == 'x' && buffer[1] == 'y';
}
