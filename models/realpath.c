/* realpath: resolves symbolic links, "." and "..". */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

/* done: the resolved part, without a slash at the end; rest: the part still to resolve. */
struct walk {
	char done[PATH_MAX], rest[PATH_MAX];
	int links;
};

/* The next component of rest, into name; its length, 0 at the end. */
static size_t next(struct walk *w, char *name)
{
	size_t skip = 0, n = 0, left;

	while (w->rest[skip] == '/')
		skip++;
	while (w->rest[skip + n] && w->rest[skip + n] != '/')
		n++;
	__builtin_memcpy(name, w->rest + skip, n);
	name[n] = '\0';
	left = strlen(w->rest + skip + n) + 1;
	__builtin_memmove(w->rest, w->rest + skip + n, left);
	return n;
}

static void up(struct walk *w)
{
	size_t n = strlen(w->done);

	while (n && w->done[n - 1] != '/')
		n--;
	w->done[n ? n - 1 : 0] = '\0';
}

/* If done is a symbolic link: puts its target in front of rest. */
static int follow(struct walk *w)
{
	char target[PATH_MAX];
	size_t left = strlen(w->rest) + 1;
	long n = M_RAW(SYS_readlink, w->done, target, sizeof target - 1);

	if (n == -EINVAL)
		return 0;
	if (n < 0)
		return (int)m_ret(n);
	if (++w->links > LINKS_MAX)
		return m_fail(ELOOP);
	if ((size_t)n + left >= sizeof w->rest)
		return m_fail(ENAMETOOLONG);
	__builtin_memmove(w->rest + n, w->rest, left);
	__builtin_memcpy(w->rest, target, (size_t)n);
	if (target[0] == '/')
		w->done[0] = '\0';
	else
		up(w);
	return 0;
}

/* A path with a slash behind its last name must be a directory. */
static int need_directory(struct walk *w)
{
	struct stat st;

	if (M_SYS(SYS_stat, *w->done ? w->done : "/", &st) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? 0 : m_fail(ENOTDIR);
}

static int resolve(struct walk *w)
{
	char name[PATH_MAX];
	size_t n;

	while ((n = next(w, name))) {
		size_t k = strlen(w->done);
		bool dot = strcmp(name, ".") == 0, dots = strcmp(name, "..") == 0;
		if (dot || dots) {
			if (need_directory(w))
				return -1;
			if (dots)
				up(w);
			continue;
		}
		if (k + n + 2 > sizeof w->done)
			return m_fail(ENAMETOOLONG);
		w->done[k] = '/';
		__builtin_memcpy(w->done + k + 1, name, n + 1);
		if (follow(w))
			return -1;
		if (w->rest[0] == '/' && need_directory(w))
			return -1;
	}
	return 0;
}

char *__realpath(const char *restrict path, char *restrict out)
{
	struct walk *w;
	char *result = NULL;

	if (!path || !*path || strlen(path) >= PATH_MAX) {
		errno = !path ? EINVAL : !*path ? ENOENT : ENAMETOOLONG;
		return NULL;
	}
	w = __heddle_alloc(sizeof *w, 16, false);
	w->links = 0;
	w->done[0] = '\0';
	strcpy(w->rest, path);
	if (*path != '/' && M_SYS(SYS_getcwd, w->done, sizeof w->done) < 0)
		goto out;
	if (strcmp(w->done, "/") == 0)
		w->done[0] = '\0';
	if (resolve(w))
		goto out;
	if (!w->done[0])
		strcpy(w->done, "/");
	result = out ? out : malloc(strlen(w->done) + 1);
	if (result)
		strcpy(result, w->done);
out:
	__heddle_free(w);
	return result;
}
M_ALIAS(realpath, __realpath);

char *canonicalize_file_name(const char *path)
{
	return __realpath(path, NULL);
}
