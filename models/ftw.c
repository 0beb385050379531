/*
 * <ftw.h>: a walk over a tree of files, in the order and with the flags of glibc. The entries of a
 * directory are read before the first of them is visited, so that the number of descriptors that the
 * caller allows does not matter.
 */
#include "model.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

struct seen { /* a directory that was visited; only where symbolic links are followed */
	struct seen *next;
	dev_t dev;
	ino_t ino;
};

struct walk {
	char path[PATH_MAX];
	struct FTW at;
	int flags;
	dev_t dev; /* of the start */
	struct seen *seen;
	__ftw_func_t simple; /* ftw(); else `full` */
	__nftw_func_t full;
};

struct entries { /* names with a NUL each */
	char *names;
	size_t n, room;
};

static int visit(struct walk *w, const struct stat *st, int flag)
{
	if (!w->simple)
		return w->full(w->path, st, flag, &w->at);
	if (flag == FTW_SL)
		flag = FTW_F;
	if (flag == FTW_SLN)
		flag = FTW_NS;
	return w->simple(w->path, st, flag);
}

static int get_status(const char *path, struct stat *st, bool follow)
{
	return (int)M_SYS(SYS_newfstatat, AT_FDCWD, path, st, follow ? 0 : AT_SYMLINK_NOFOLLOW);
}

/* Whether the directory was visited before; remembers it. -1: no memory. */
static int note_directory(struct walk *w, const struct stat *st)
{
	struct seen *s;

	for (s = w->seen; s; s = s->next)
		if (s->dev == st->st_dev && s->ino == st->st_ino)
			return 1;
	s = __heddle_alloc(sizeof *s, 16, false);
	if (!s)
		return m_fail(ENOMEM);
	*s = (struct seen){w->seen, st->st_dev, st->st_ino};
	w->seen = s;
	return 0;
}

static int add_name(struct entries *e, const char *name)
{
	size_t n = strlen(name) + 1;

	if (e->n + n > e->room) {
		size_t room = 2 * (e->n + n) + 256;
		char *more = __heddle_alloc(room, 1, false);

		if (!more)
			return m_fail(ENOMEM);
		if (e->n)
			memcpy(more, e->names, e->n);
		if (e->names)
			__heddle_free(e->names);
		e->names = more;
		e->room = room;
	}
	memcpy(e->names + e->n, name, n);
	e->n += n;
	return 0;
}

/* The names in the directory, without "." and "..". */
static int read_directory(int fd, struct entries *e)
{
	char *buf = __heddle_alloc(32768, 8, false);
	long n = 0;
	int rc = buf ? 0 : m_fail(ENOMEM);

	while (!rc && (n = M_SYS(SYS_getdents64, fd, buf, 32768)) > 0)
		for (long i = 0; !rc && i < n;) {
			const struct dirent64 *d = (const struct dirent64 *)(buf + i);

			if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
				rc = add_name(e, d->d_name);
			i += d->d_reclen;
		}
	if (buf)
		__heddle_free(buf);
	return n < 0 ? -1 : rc;
}

static int walk_entry(struct walk *w, const char *name);

/* The entries of a directory whose path is w->path. */
static int walk_entries(struct walk *w, const struct entries *e)
{
	size_t n = strlen(w->path), length = n;
	int base = w->at.base, rc = 0;

	if (w->path[n - 1] != '/')
		w->path[n++] = '/';
	w->at.level++;
	w->at.base = (int)n;
	for (size_t i = 0; !rc && i < e->n; i += strlen(e->names + i) + 1)
		rc = walk_entry(w, e->names + i);
	if (w->flags & FTW_ACTIONRETVAL && rc == FTW_SKIP_SIBLINGS)
		rc = 0;
	w->at.level--;
	w->at.base = base;
	w->path[length] = 0;
	return rc;
}

static int walk_directory(struct walk *w, const struct stat *st)
{
	struct entries e = {0};
	long fd = M_SYS(SYS_openat, AT_FDCWD, w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return errno == EACCES ? visit(w, st, FTW_DNR) : -1;
	rc = read_directory((int)fd, &e);
	M_RAW(SYS_close, fd);
	if (!rc && !(w->flags & FTW_DEPTH))
		rc = visit(w, st, FTW_D);
	if (!rc)
		rc = walk_entries(w, &e);
	if (!rc && w->flags & FTW_DEPTH)
		rc = visit(w, st, FTW_DP);
	if (e.names)
		__heddle_free(e.names);
	return rc;
}

/* The flag of a file that has no status; -1: the walk ends. */
static int flag_without_status(const struct walk *w, struct stat *st)
{
	if (errno != EACCES && errno != ENOENT)
		return -1;
	if (w->flags & FTW_PHYS || get_status(w->path, st, false) < 0)
		return FTW_NS;
	return S_ISLNK(st->st_mode) ? FTW_SLN : FTW_NS;
}

static int walk_entry(struct walk *w, const char *name)
{
	size_t n = strlen(name), at = (size_t)w->at.base;
	struct stat st;
	int flag, rc = 0;

	if (at + n >= sizeof w->path)
		return m_fail(ENAMETOOLONG);
	memcpy(w->path + at, name, n + 1);
	if (get_status(w->path, &st, !(w->flags & FTW_PHYS)) < 0) {
		flag = flag_without_status(w, &st);
		if (flag < 0)
			return -1;
	} else {
		flag = S_ISDIR(st.st_mode) ? FTW_D : S_ISLNK(st.st_mode) ? FTW_SL : FTW_F;
	}
	if (flag != FTW_NS && w->flags & FTW_MOUNT && st.st_dev != w->dev)
		return 0;
	if (flag != FTW_D) {
		rc = visit(w, &st, flag);
	} else {
		rc = w->flags & FTW_PHYS ? 0 : note_directory(w, &st);
		rc = rc < 0 ? -1 : rc ? 0 : walk_directory(w, &st);
	}
	return w->flags & FTW_ACTIONRETVAL && rc == FTW_SKIP_SUBTREE ? 0 : rc;
}

/* The start of the walk, whose path is w->path. */
static int walk_start(struct walk *w)
{
	struct stat st;
	int rc;

	if (get_status(w->path, &st, !(w->flags & FTW_PHYS)) < 0) {
		if (w->flags & FTW_PHYS || errno != ENOENT || get_status(w->path, &st, false) < 0 ||
			!S_ISLNK(st.st_mode))
			return -1;
		return visit(w, &st, FTW_SLN);
	}
	if (!S_ISDIR(st.st_mode))
		return visit(w, &st, S_ISLNK(st.st_mode) ? FTW_SL : FTW_F);
	w->dev = st.st_dev;
	rc = w->flags & FTW_PHYS ? 0 : note_directory(w, &st);
	return rc < 0 ? -1 : walk_directory(w, &st);
}

static int walk_tree(const char *path, int flags, __ftw_func_t simple, __nftw_func_t full)
{
	size_t n = strlen(path);
	struct walk *w;
	int rc;

	if (!n)
		return m_fail(ENOENT);
	if (n >= PATH_MAX)
		return m_fail(ENAMETOOLONG);
	w = __heddle_alloc(sizeof *w, 16, true);
	if (!w)
		return m_fail(ENOMEM);
	memcpy(w->path, path, n);
	while (n > 1 && w->path[n - 1] == '/')
		n--;
	w->path[n] = 0;
	while (n && w->path[n - 1] != '/')
		n--;
	w->at.base = w->path[n] ? (int)n : 0; /* 0 for "/" */
	w->flags = flags;
	w->simple = simple;
	w->full = full;
	rc = walk_start(w);
	if (flags & FTW_ACTIONRETVAL && (rc == FTW_SKIP_SUBTREE || rc == FTW_SKIP_SIBLINGS))
		rc = 0;
	while (w->seen) {
		struct seen *next = w->seen->next;

		__heddle_free(w->seen);
		w->seen = next;
	}
	__heddle_free(w);
	return rc;
}

int ftw(const char *path, __ftw_func_t visit_, int descriptors)
{
	(void)descriptors;
	return walk_tree(path, 0, visit_, NULL);
}

static int walk_full(const char *path, __nftw_func_t visit_, int flags)
{
	if (flags & ~(FTW_PHYS | FTW_MOUNT | FTW_CHDIR | FTW_DEPTH | FTW_ACTIONRETVAL))
		return m_fail(EINVAL);
	if (flags & FTW_CHDIR)
		__heddle_unmodelled("nftw with FTW_CHDIR");
	return walk_tree(path, flags, NULL, visit_);
}

int nftw(const char *path, __nftw_func_t visit_, int descriptors, int flags)
{
	(void)descriptors;
	return walk_full(path, visit_, flags);
}

int ftw64(const char *path, __ftw64_func_t visit_, int descriptors)
{
	(void)descriptors;
	return walk_tree(path, 0, (__ftw_func_t)visit_, NULL);
}

int nftw64(const char *path, __nftw64_func_t visit_, int descriptors, int flags)
{
	(void)descriptors;
	return walk_full(path, (__nftw_func_t)visit_, flags);
}
