/* Replacements for the functions of log/instead.def that take the name of a file. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/enforce/inputs.h"

static uint32_t change_of(int flags)
{
	uint32_t change = (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC ? CHANGE_CONTENTS : 0;
	if (flags & O_PATH || (flags & O_TMPFILE) == O_TMPFILE)
		return 0;
	return change | (flags & O_CREAT ? CHANGE_CONTENTS | CHANGE_CREATE : 0);
}

#define MODE(flags, mode)                                                                          \
	do {                                                                                       \
		va_list ap;                                                                        \
		va_start(ap, flags);                                                               \
		mode = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;                 \
		va_end(ap);                                                                        \
	} while (0)

#define OPEN(NAME)                                                                                 \
	INSTEAD(int, NAME)(const char *path, int flags, ...)                                       \
	{                                                                                          \
		mode_t mode;                                                                       \
		MODE(flags, mode);                                                                 \
		return NAME(file_for(AT_FDCWD, path, change_of(flags)), flags, mode);              \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(NAME)                                                                               \
	INSTEAD(int, NAME)(int dir, const char *path, int flags, ...)                              \
	{                                                                                          \
		mode_t mode;                                                                       \
		MODE(flags, mode);                                                                 \
		return NAME(dir, file_for(dir, path, change_of(flags)), flags, mode);              \
	}
OPENAT(openat)
OPENAT(openat64)

#define CREAT(NAME)                                                                                \
	INSTEAD(int, NAME)(const char *path, mode_t mode)                                          \
	{                                                                                          \
		return NAME(file_for(AT_FDCWD, path, CHANGE_CONTENTS | CHANGE_CREATE), mode);      \
	}
CREAT(creat)
CREAT(creat64)

static uint32_t change_of_mode(const char *mode)
{
	uint32_t change = 0;
	if (!mode)
		return 0;
	if (*mode == 'w' || *mode == 'a')
		change = CHANGE_CONTENTS | CHANGE_CREATE;
	for (; *mode; mode++)
		if (*mode == '+')
			change |= CHANGE_CONTENTS;
	return change;
}

#define FOPEN(NAME)                                                                                \
	INSTEAD(FILE *, NAME)(const char *path, const char *mode)                                  \
	{                                                                                          \
		return NAME(file_for(AT_FDCWD, path, change_of_mode(mode)), mode);                 \
	}
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(NAME)                                                                              \
	INSTEAD(FILE *, NAME)(const char *path, const char *mode, FILE *f)                         \
	{                                                                                          \
		return NAME(file_for(AT_FDCWD, path, change_of_mode(mode)), mode, f);              \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

#define STAT(NAME, TYPE)                                                                           \
	INSTEAD(int, NAME)(const char *path, TYPE *to)                                             \
	{                                                                                          \
		return NAME(file_for(AT_FDCWD, path, 0), to);                                      \
	}
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)

INSTEAD(int, access)(const char *path, int how)
{
	return access(file_for(AT_FDCWD, path, 0), how);
}

INSTEAD(int, unlink)(const char *path)
{
	return unlink(file_for(AT_FDCWD, path, CHANGE_ENTRY));
}

INSTEAD(int, remove)(const char *path)
{
	return remove(file_for(AT_FDCWD, path, CHANGE_ENTRY));
}

INSTEAD(int, rename)(const char *from, const char *to)
{
	const char *source = file_for(AT_FDCWD, from, CHANGE_ENTRY);
	if (source == from)
		return rename(from, to);
	return rename(source, file_for(AT_FDCWD, to, CHANGE_ENTRY | CHANGE_CREATE));
}

#define TRUNCATE(NAME, TYPE)                                                                       \
	INSTEAD(int, NAME)(const char *path, TYPE n)                                               \
	{                                                                                          \
		return NAME(file_for(AT_FDCWD, path, CHANGE_CONTENTS), n);                         \
	}
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

INSTEAD(int, mkdir)(const char *path, mode_t mode)
{
	int r = mkdir(path, mode);
	if (!r)
		directory_made(path);
	return r;
}

INSTEAD(char *, mkdtemp)(char *path)
{
	char *made = mkdtemp(path);
	if (made)
		directory_made(made);
	return made;
}

INSTEAD(int, chmod)(const char *path, mode_t mode)
{
	return chmod(file_for(AT_FDCWD, path, CHANGE_CONTENTS), mode);
}
