/* Suboptions in one argument: name[=value],… */
#include "model.h"
#include <stdlib.h>
#include <string.h>

int getsubopt(char **option, char *const *names, char **value)
{
	char *start = *option, *end = start, *equals;

	if (!*start)
		return -1;
	while (*end && *end != ',')
		end++;
	equals = memchr(start, '=', (size_t)(end - start));
	*option = end;
	if (*end == ',') {
		*end = '\0';
		++*option;
	}
	for (int i = 0; names[i]; i++) {
		size_t n = (size_t)((equals ? equals : end) - start);
		if (strncmp(start, names[i], n) != 0 || names[i][n])
			continue;
		*value = equals ? equals + 1 : NULL;
		return i;
	}
	*value = start;
	return -1;
}
