/* Calls on paths: names, links, directories, permissions, <sys/stat.h>. */
#include "model.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

/* ---- names ------------------------------------------------------------------------------- */

int access(const char *path, int mode)
{
	return (int)M_SYS(SYS_access, path, mode);
}

int __faccessat(int dir, const char *path, int mode, int flags)
{
	if (flags & AT_EACCESS && (M_RAW(SYS_getuid) != M_RAW(SYS_geteuid) ||
					  M_RAW(SYS_getgid) != M_RAW(SYS_getegid)))
		__heddle_unmodelled("faccessat with AT_EACCESS in a set-id program");
	return (int)M_SYS(SYS_faccessat, dir, path, mode);
}
M_ALIAS(faccessat, __faccessat);

int euidaccess(const char *path, int mode)
{
	return __faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}
M_ALIAS(eaccess, euidaccess);

int unlink(const char *path)
{
	return (int)M_SYS(SYS_unlink, path);
}

int unlinkat(int dir, const char *path, int flags)
{
	return (int)M_SYS(SYS_unlinkat, dir, path, flags);
}

int rmdir(const char *path)
{
	return (int)M_SYS(SYS_rmdir, path);
}

int remove(const char *path)
{
	long r = M_RAW(SYS_unlink, path);

	if (r == -EISDIR || r == -EPERM)
		r = M_RAW(SYS_rmdir, path);
	return (int)m_ret(r);
}

int rename(const char *from, const char *to)
{
	return (int)M_SYS(SYS_rename, from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return (int)M_SYS(SYS_renameat, from_dir, from, to_dir, to);
}

int link(const char *from, const char *to)
{
	return (int)M_SYS(SYS_link, from, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	return (int)M_SYS(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int symlink(const char *from, const char *to)
{
	return (int)M_SYS(SYS_symlink, from, to);
}

int symlinkat(const char *from, int dir, const char *to)
{
	return (int)M_SYS(SYS_symlinkat, from, dir, to);
}

ssize_t readlink(const char *restrict path, char *restrict buf, size_t n)
{
	return M_SYS(SYS_readlink, path, buf, n);
}

ssize_t readlinkat(int dir, const char *restrict path, char *restrict buf, size_t n)
{
	return M_SYS(SYS_readlinkat, dir, path, buf, n);
}

int mkdir(const char *path, mode_t mode)
{
	return (int)M_SYS(SYS_mkdir, path, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	return (int)M_SYS(SYS_mkdirat, dir, path, mode);
}

int mknod(const char *path, mode_t mode, dev_t dev)
{
	return (int)M_SYS(SYS_mknod, path, mode, dev);
}

int mkfifo(const char *path, mode_t mode)
{
	return (int)M_SYS(SYS_mknod, path, mode | S_IFIFO, 0);
}

/* ---- the working directory --------------------------------------------------------------- */

int chdir(const char *path)
{
	return (int)M_SYS(SYS_chdir, path);
}

int fchdir(int fd)
{
	return (int)M_SYS(SYS_fchdir, fd);
}

/* With buf NULL the result is allocated: of that size, or as large as need be. */
char *__getcwd(char *buf, size_t size)
{
	char local[PATH_MAX], *p;
	long n;

	if (buf && !size) {
		errno = EINVAL;
		return NULL;
	}
	n = M_SYS(SYS_getcwd, buf ? buf : local, buf ? size : sizeof local);
	if (n < 0)
		return NULL;
	if (buf)
		return buf;
	if (size && size < (size_t)n) {
		errno = ERANGE;
		return NULL;
	}
	p = malloc(size ? size : (size_t)n);
	if (p)
		__builtin_memcpy(p, local, (size_t)n);
	return p;
}
M_ALIAS(getcwd, __getcwd);

char *getwd(char *buf)
{
	return __getcwd(buf, PATH_MAX);
}

char *get_current_dir_name(void)
{
	char *pwd = getenv("PWD");
	struct stat a, b;

	if (pwd && M_RAW(SYS_stat, pwd, &a) == 0 && M_RAW(SYS_stat, ".", &b) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
		size_t n = strlen(pwd) + 1;
		char *p = malloc(n);
		return p ? __builtin_memcpy(p, pwd, n) : NULL;
	}
	return __getcwd(NULL, 0);
}

/* ---- status ------------------------------------------------------------------------------ */

/* The old names, with a version of the struct in front, and those for 64-bit offsets: all the
 * same on this machine. */
#define STAT(name, stat_struct, xname) \
	int name(const char *restrict path, struct stat_struct *restrict st) \
	{ \
		return (int)M_SYS(NUMBER, path, st); \
	} \
	int xname(int version, const char *path, struct stat_struct *st) \
	{ \
		(void)version; \
		return (int)M_SYS(NUMBER, path, st); \
	}
#define FSTAT(name, stat_struct, xname) \
	int name(int fd, struct stat_struct *st) \
	{ \
		return (int)M_SYS(SYS_fstat, fd, st); \
	} \
	int xname(int version, int fd, struct stat_struct *st) \
	{ \
		(void)version; \
		return (int)M_SYS(SYS_fstat, fd, st); \
	}
#define FSTATAT(name, stat_struct, xname) \
	int name(int dir, const char *restrict path, struct stat_struct *restrict st, int flags) \
	{ \
		return (int)M_SYS(SYS_newfstatat, dir, path, st, flags); \
	} \
	int xname(int version, int dir, const char *path, struct stat_struct *st, int flags) \
	{ \
		(void)version; \
		return (int)M_SYS(SYS_newfstatat, dir, path, st, flags); \
	}

#define NUMBER SYS_stat
STAT(stat, stat, __xstat)
STAT(stat64, stat64, __xstat64)
#undef NUMBER
#define NUMBER SYS_lstat
STAT(lstat, stat, __lxstat)
STAT(lstat64, stat64, __lxstat64)
#undef NUMBER
FSTAT(fstat, stat, __fxstat)
FSTAT(fstat64, stat64, __fxstat64)
FSTATAT(fstatat, stat, __fxstatat)
FSTATAT(fstatat64, stat64, __fxstatat64)

int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict st)
{
	return (int)M_SYS(SYS_statx, dir, path, flags, mask, st);
}

/* ---- permissions, owners, times ---------------------------------------------------------- */

int chmod(const char *path, mode_t mode)
{
	return (int)M_SYS(SYS_chmod, path, mode);
}

int fchmod(int fd, mode_t mode)
{
	return (int)M_SYS(SYS_fchmod, fd, mode);
}

int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
	if (flags & ~AT_SYMLINK_NOFOLLOW)
		return m_fail(EINVAL);
	if (flags)
		return m_fail(EOPNOTSUPP);
	return (int)M_SYS(SYS_fchmodat, dir, path, mode);
}

mode_t umask(mode_t mask)
{
	return (mode_t)M_SYS(SYS_umask, mask);
}

int chown(const char *path, uid_t user, gid_t group)
{
	return (int)M_SYS(SYS_chown, path, user, group);
}

int lchown(const char *path, uid_t user, gid_t group)
{
	return (int)M_SYS(SYS_lchown, path, user, group);
}

int fchown(int fd, uid_t user, gid_t group)
{
	return (int)M_SYS(SYS_fchown, fd, user, group);
}

int utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
	return (int)M_SYS(SYS_utimensat, dir, path, times, flags);
}

int futimens(int fd, const struct timespec times[2])
{
	return (int)M_SYS(SYS_utimensat, fd, NULL, times, 0);
}

int utimes(const char *path, const struct timeval times[2])
{
	struct timespec ts[2];

	if (!times)
		return (int)M_SYS(SYS_utimensat, AT_FDCWD, path, NULL, 0);
	for (int i = 0; i < 2; i++) {
		if (times[i].tv_usec < 0 || times[i].tv_usec >= 1000000)
			return m_fail(EINVAL);
		ts[i] = (struct timespec){times[i].tv_sec, times[i].tv_usec * 1000};
	}
	return (int)M_SYS(SYS_utimensat, AT_FDCWD, path, ts, 0);
}

int utime(const char *path, const struct utimbuf *times)
{
	struct timespec ts[2];

	if (times) {
		ts[0] = (struct timespec){times->actime, 0};
		ts[1] = (struct timespec){times->modtime, 0};
	}
	return (int)M_SYS(SYS_utimensat, AT_FDCWD, path, times ? ts : NULL, 0);
}
