/*
 * check-name: a line without a newline loses its last character
 * check-command: heddle explore --sym stdin:0-4 -- $exe
 * check-finds: stack-buffer-overflow cut
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
	char line[8];

	line[0] = 0;
#ifdef CORRECT
	if (!fgets(line, sizeof line, stdin) || !line[0])
		return 1;
#else
	if (!fgets(line, sizeof line, stdin))
		return 1;
#endif
	line[strlen(line) - 1] = 0; /* BUG: cut */
	return line[0] == 'q';
}
