/* Directories: <dirent.h> on getdents64. */
#include "model.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct __dirstream {
	int fd;
	off_t position; /* d_off of the last entry returned */
	long at, end;   /* in buf */
	char buf[32768] __attribute__((aligned(8)));
};

static DIR *new_stream(int fd)
{
	DIR *d = __heddle_alloc(sizeof *d, 16, false);

	if (!d) {
		errno = ENOMEM;
		return NULL;
	}
	d->fd = fd;
	d->position = d->at = d->end = 0;
	return d;
}

DIR *__opendir(const char *path)
{
	long fd;

	if (!*path) {
		errno = ENOENT;
		return NULL;
	}
	fd = M_SYS(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NDELAY | O_DIRECTORY | O_CLOEXEC, 0);
	return fd < 0 ? NULL : new_stream((int)fd);
}
M_ALIAS(opendir, __opendir);

DIR *fdopendir(int fd)
{
	struct stat st;
	long flags;

	if (M_SYS(SYS_fstat, fd, &st) < 0)
		return NULL;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return NULL;
	}
	flags = M_SYS(SYS_fcntl, fd, F_GETFL);
	if (flags < 0)
		return NULL;
	if ((flags & O_ACCMODE) == O_WRONLY) {
		errno = EINVAL;
		return NULL;
	}
	return new_stream(fd);
}

struct dirent *__readdir(DIR *d)
{
	struct dirent *e;

	__heddle_order(d, true);
	if (d->at >= d->end) {
		long n = M_RAW(SYS_getdents64, d->fd, d->buf, sizeof d->buf);
		/* a directory that was removed is empty */
		if (n < 0 && n != -ENOENT)
			errno = (int)-n;
		if (n <= 0)
			return NULL;
		d->at = 0;
		d->end = n;
	}
	e = (struct dirent *)(d->buf + d->at);
	d->at += e->d_reclen;
	d->position = e->d_off;
	return e;
}
M_ALIAS(readdir, __readdir);
extern struct dirent64 *readdir64(DIR *) __attribute__((alias("__readdir")));

int readdir_r(DIR *restrict d, struct dirent *restrict entry, struct dirent **restrict result)
{
	int error = errno;
	struct dirent *e;

	errno = 0;
	e = __readdir(d);
	*result = e ? entry : NULL;
	if (e)
		__builtin_memcpy(entry, e, e->d_reclen);
	else if (errno)
		return errno;
	errno = error;
	return 0;
}

extern int readdir64_r(DIR *, struct dirent64 *, struct dirent64 **)
	__attribute__((alias("readdir_r")));

int __closedir(DIR *d)
{
	int fd = d->fd;

	__heddle_free(d);
	return (int)M_SYS(SYS_close, fd);
}
M_ALIAS(closedir, __closedir);

int dirfd(DIR *d)
{
	return d->fd;
}

long telldir(DIR *d)
{
	return d->position;
}

void seekdir(DIR *d, long position)
{
	M_RAW(SYS_lseek, d->fd, position, SEEK_SET);
	d->position = position;
	d->at = d->end = 0;
}

void rewinddir(DIR *d)
{
	M_RAW(SYS_lseek, d->fd, 0, SEEK_SET);
	d->position = d->at = d->end = 0;
}

int alphasort(const struct dirent **a, const struct dirent **b)
{
	return strcoll((*a)->d_name, (*b)->d_name);
}
extern int alphasort64(const struct dirent64 **, const struct dirent64 **)
	__attribute__((alias("alphasort")));

int versionsort(const struct dirent **a, const struct dirent **b)
{
	extern int __strverscmp(const char *, const char *);

	return __strverscmp((*a)->d_name, (*b)->d_name);
}
extern int versionsort64(const struct dirent64 **, const struct dirent64 **)
	__attribute__((alias("versionsort")));

struct list {
	struct dirent **p;
	size_t n, size;
};

static int append(struct list *l, const struct dirent *e)
{
	struct dirent *copy = malloc(e->d_reclen);

	if (l->n == l->size) {
		struct dirent **p = realloc(l->p, (l->size * 2 + 10) * sizeof *p);
		if (!p)
			return -1;
		l->p = p;
		l->size = l->size * 2 + 10;
	}
	if (!copy)
		return -1;
	__builtin_memcpy(copy, e, e->d_reclen);
	l->p[l->n++] = copy;
	return 0;
}

int scandir(const char *restrict path, struct dirent ***restrict result,
	int (*want)(const struct dirent *),
	int (*compare)(const struct dirent **, const struct dirent **))
{
	DIR *d = __opendir(path);
	struct list l = {0};
	struct dirent *e;
	int error = errno;

	if (!d)
		return -1;
	errno = 0;
	while ((e = __readdir(d))) {
		if (want && !want(e))
			continue;
		errno = 0;
		if (append(&l, e))
			break;
	}
	if (errno) {
		error = errno;
		while (l.n)
			free(l.p[--l.n]);
		free(l.p);
		__closedir(d);
		return m_fail(error);
	}
	__closedir(d);
	if (compare)
		qsort(l.p, l.n, sizeof *l.p, (int (*)(const void *, const void *))compare);
	errno = error;
	*result = l.p;
	return (int)l.n;
}
extern int scandir64(const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
	int (*)(const struct dirent64 **, const struct dirent64 **))
	__attribute__((alias("scandir")));
