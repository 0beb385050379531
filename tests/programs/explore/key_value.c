/*
 * check-name: a text of the form key=value
 * check-command: heddle explore --sym stdin:4 -- $exe
 * check-finds: null value
 */
#include <string.h>
#include <unistd.h>

int main(void)
{
	char line[5];
	char *value;

	if (read(0, line, 4) != 4)
		return 1;
	line[4] = 0;
	if (line[0] == '#')
		return 0;
	value = memchr(line, '=', 4);
#ifdef CORRECT
	if (!value)
		return 2;
#endif
	*value = 0; /* BUG: value */
	return 0;
}
