/* Parts of path names: <libgen.h> and the GNU basename. */
#include "model.h"
#include <string.h>

/* the GNU one; <libgen.h> renames its own */
char *basename(const char *path)
{
	char *slash = strrchr(path, '/');

	return slash ? slash + 1 : (char *)path;
}

/* Length without the slashes at the end, but a lone "/" stays. */
static size_t trimmed(const char *s, size_t n)
{
	while (n > 1 && s[n - 1] == '/')
		n--;
	return n;
}

char *__xpg_basename(char *path)
{
	size_t n, start;

	if (!path || !*path)
		return (char *)".";
	n = trimmed(path, strlen(path));
	if (n == 1 && *path == '/')
		return path + strlen(path) - 1;
	path[n] = '\0';
	for (start = n; start && path[start - 1] != '/'; start--)
		;
	return path + start;
}

char *dirname(char *path)
{
	size_t n = path ? strlen(path) : 0, keep;

	/* the name at the end and the slashes behind it; slashes alone stay */
	if (n > 1 && path[trimmed(path, n) - 1] != '/')
		n = trimmed(path, n);
	while (n && path[n - 1] != '/')
		n--;
	if (!n)
		return (char *)".";
	keep = trimmed(path, n);
	/* exactly two leading slashes are kept: POSIX leaves their meaning to the implementation */
	if (keep == 1 && *path == '/' && n == 2)
		keep = 2;
	path[keep] = '\0';
	return path;
}
