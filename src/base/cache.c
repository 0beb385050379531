#include "base/cache.h"

#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *find_place(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		return xasprintf("%s/heddle", xdg);
	return home && home[0] == '/' ? xasprintf("%s/.cache/heddle", home) : NULL;
}

/* NULL, or what is wrong (free it). */
static char *check_owner(int fd, const char *dir)
{
	struct stat st;

	if (fstat(fd, &st))
		return xasprintf("cannot use the cache '%s': %s", dir, strerror(errno));
	if (st.st_uid != geteuid())
		return xasprintf("the cache '%s' belongs to another user (set XDG_CACHE_HOME to a "
				 "directory of "
				 "your own)",
			dir);
	if (st.st_mode & 022)
		return xasprintf("the cache '%s' can be written by other users (remove it, or set "
				 "XDG_CACHE_HOME)",
			dir);
	if (st.st_mode & 077 && fchmod(fd, 0700))
		return xasprintf(
			"cannot close the cache '%s' to other users: %s (set XDG_CACHE_HOME)", dir,
			strerror(errno));
	return NULL;
}

static int open_directory(const char *dir, char **why)
{
	char *above = path_dir(dir);
	int fd = -1;

	if (!make_directories(above) && (!mkdir(dir, 0700) || errno == EEXIST))
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*why = fd < 0 ? xasprintf("cannot make the cache '%s': %s (set XDG_CACHE_HOME)", dir,
				strerror(errno))
		      : check_owner(fd, dir);
	free(above);
	if (!*why)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int cache_open(char **path, char **why)
{
	char *dir = find_place();
	int fd;

	*path = *why = NULL;
	if (!dir) {
		*why = xstrdup("there is no directory for the cache: neither XDG_CACHE_HOME nor "
			       "HOME is an "
			       "absolute path (set XDG_CACHE_HOME)");
		return -1;
	}
	fd = open_directory(dir, why);
	if (fd >= 0)
		*path = dir;
	else
		free(dir);
	return fd;
}
