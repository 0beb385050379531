#include "cli/find_program.h"

#include "base/base.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *find_program(const char *word)
{
	const char *path = getenv("PATH"), *end;

	if (strchr(word, '/'))
		return xstrdup(word);
	for (; path && *path; path = *end ? end + 1 : end) {
		char *file;

		end = strchrnul(path, ':');
		file = xasprintf("%.*s/%s", (int)(end - path), path, word);
		if (end > path && !access(file, X_OK))
			return file;
		free(file);
	}
	if (access(word, F_OK))
		error_("program '%s' not found: no directory of PATH has it", word);
	else
		error_("program '%s' not found: no directory of PATH has it (to run the file in "
		       "this directory, write "
		       "'./%s')",
			word, word);
	return NULL;
}
