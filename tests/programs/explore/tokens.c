/*
 * check-name: words of an argument, told apart by strtok
 * check-command: heddle explore --sym argv[1]:4 -- $exe
 * check-finds: null value
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int main(int argc, char **argv)
{
	char *key, *value;

	if (argc < 2)
		return 1;
	key = strtok(argv[1], "=:");
	value = strtok(NULL, "=:");
	if (!key || strcasecmp(key, "ab"))
		return 2;
#ifdef CORRECT
	if (!value)
		return 3;
#endif
	return value[0] == '1'; /* BUG: value */
}
