/*
 * Temporary files. Names follow a fixed sequence instead of a random one, so that two runs of the
 * machine are alike; a name that exists is skipped.
 */
#include "model.h"
#include "model_file.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum what { A_FILE, A_DIRECTORY, A_NAME };

static void fill(char *x)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	static uint64_t state;
	uint64_t v;

	state += 0x9e3779b97f4a7c15u;
	v = state ^ (uint64_t)M_RAW(SYS_getpid) << 20;
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v ^= v >> 27;
	for (int i = 0; i < 6; i++, v /= 62)
		x[i] = letters[v % 62];
}

/* Replaces the six X before the suffix by a name that does not exist. -1 with errno. */
static int make(char *template, int suffix, int flags, enum what what)
{
	size_t n = strlen(template);
	char *x;

	if (suffix < 0 || n < 6 + (size_t)suffix)
		return m_fail(EINVAL);
	x = template + n - 6 - (size_t)suffix;
	if (strncmp(x, "XXXXXX", 6) != 0)
		return m_fail(EINVAL);
	for (unsigned i = 0; i < TMP_MAX; i++) {
		struct stat st;
		long r = 0;
		fill(x);
		switch (what) {
		case A_FILE:
			r = M_RAW(SYS_openat, AT_FDCWD, template,
				(flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
			break;
		case A_DIRECTORY: r = M_RAW(SYS_mkdir, template, 0700); break;
		case A_NAME: r = M_RAW(SYS_lstat, template, &st) == -ENOENT ? 0 : -EEXIST; break;
		}
		if (r != -EEXIST)
			return (int)m_ret(r);
	}
	return m_fail(EEXIST);
}

int __m_temp_file(char *template)
{
	return make(template, 0, 0, A_FILE);
}

int mkstemp(char *template)
{
	return make(template, 0, 0, A_FILE);
}
M_ALIAS(mkstemp64, mkstemp);

int mkostemp(char *template, int flags)
{
	return make(template, 0, flags, A_FILE);
}
M_ALIAS(mkostemp64, mkostemp);

int mkstemps(char *template, int suffix)
{
	return make(template, suffix, 0, A_FILE);
}
M_ALIAS(mkstemps64, mkstemps);

int mkostemps(char *template, int suffix, int flags)
{
	return make(template, suffix, flags, A_FILE);
}
M_ALIAS(mkostemps64, mkostemps);

char *mkdtemp(char *template)
{
	return make(template, 0, 0, A_DIRECTORY) ? NULL : template;
}

char *mktemp(char *template)
{
	if (make(template, 0, 0, A_NAME))
		*template = '\0';
	return template;
}

char *tmpnam(char *buf)
{
	static char own[L_tmpnam];
	char name[] = "/tmp/fileXXXXXX";

	if (make(name, 0, 0, A_NAME))
		return NULL;
	return strcpy(buf ? buf : own, name);
}

char *tmpnam_r(char *buf)
{
	return buf ? tmpnam(buf) : NULL;
}

char *tempnam(const char *dir, const char *prefix)
{
	char *env = getenv("TMPDIR"), *name;
	size_t n;

	if (env && *env)
		dir = env;
	if (!dir || !*dir)
		dir = P_tmpdir;
	if (!prefix)
		prefix = "file";
	n = strlen(dir) + 16;
	name = malloc(n);
	if (!name)
		return NULL;
	snprintf(name, n, "%s/%.5sXXXXXX", dir, prefix);
	if (!make(name, 0, 0, A_NAME))
		return name;
	free(name);
	return NULL;
}
