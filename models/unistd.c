/* Calls on file descriptors: system calls of the host with errno set. */
#include "model.h"
#include "model_signal.h"
#include "model_thread.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- reading and writing ----------------------------------------------------------------- */

ssize_t read(int fd, void *buf, size_t n)
{
	__m_testcancel();
	return M_SYS(SYS_read, fd, buf, n);
}
extern ssize_t __read(int, void *, size_t) __attribute__((alias("read")));

ssize_t write(int fd, const void *buf, size_t n)
{
	__m_testcancel();
	return __m_written(fd, M_RAW(SYS_write, fd, buf, n));
}
extern ssize_t __write(int, const void *, size_t) __attribute__((alias("write")));

ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
	__m_testcancel();
	return M_SYS(SYS_pread64, fd, buf, n, offset);
}
M_ALIAS(pread64, pread);
extern ssize_t __pread64(int, void *, size_t, off_t) __attribute__((alias("pread")));

ssize_t pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	__m_testcancel();
	return M_SYS(SYS_pwrite64, fd, buf, n, offset);
}
M_ALIAS(pwrite64, pwrite);
extern ssize_t __pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

/* Total length, or -1 with EINVAL. */
static ssize_t vector_size(const struct iovec *v, int n)
{
	size_t total = 0;

	if (n < 0 || n > IOV_MAX)
		return m_fail(EINVAL);
	for (int i = 0; i < n; i++) {
		if (v[i].iov_len > SSIZE_MAX - total)
			return m_fail(EINVAL);
		total += v[i].iov_len;
	}
	return (ssize_t)total;
}

/* One call on one piece of memory, so that the parts stay together. offset -1: the current one. */
static ssize_t vector_read(int fd, const struct iovec *v, int n, off_t offset)
{
	ssize_t size = vector_size(v, n), got, at = 0;
	char *buf;

	__m_testcancel();
	if (size < 0)
		return -1;
	buf = __heddle_alloc((size_t)size, 16, false);
	if (!buf)
		return m_fail(ENOMEM);
	got = offset < 0 ? M_SYS(SYS_read, fd, buf, size)
			 : M_SYS(SYS_pread64, fd, buf, size, offset);
	for (int i = 0; i < n && at < got; i++) {
		size_t k = v[i].iov_len < (size_t)(got - at) ? v[i].iov_len : (size_t)(got - at);
		__builtin_memcpy(v[i].iov_base, buf + at, k);
		at += (ssize_t)k;
	}
	__heddle_free(buf);
	return got;
}

static ssize_t vector_write(int fd, const struct iovec *v, int n, off_t offset)
{
	ssize_t size = vector_size(v, n), put;
	char *buf, *p;

	__m_testcancel();
	if (size < 0)
		return -1;
	buf = p = __heddle_alloc((size_t)size, 16, false);
	if (!buf)
		return m_fail(ENOMEM);
	for (int i = 0; i < n; i++) {
		__builtin_memcpy(p, v[i].iov_base, v[i].iov_len);
		p += v[i].iov_len;
	}
	put = __m_written(fd, offset < 0 ? M_RAW(SYS_write, fd, buf, size)
					 : M_RAW(SYS_pwrite64, fd, buf, size, offset));
	__heddle_free(buf);
	return put;
}

ssize_t readv(int fd, const struct iovec *v, int n)
{
	return vector_read(fd, v, n, -1);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	return vector_write(fd, v, n, -1);
}

ssize_t preadv(int fd, const struct iovec *v, int n, off_t offset)
{
	return offset < 0 ? m_fail(EINVAL) : vector_read(fd, v, n, offset);
}
M_ALIAS(preadv64, preadv);

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t offset)
{
	return offset < 0 ? m_fail(EINVAL) : vector_write(fd, v, n, offset);
}
M_ALIAS(pwritev64, pwritev);

off_t lseek(int fd, off_t offset, int whence)
{
	return M_SYS(SYS_lseek, fd, offset, whence);
}
M_ALIAS(lseek64, lseek);
extern off_t __lseek(int, off_t, int) __attribute__((alias("lseek")));

/* ---- descriptors ------------------------------------------------------------------------- */

int close(int fd)
{
	__m_testcancel();
	return (int)M_SYS(SYS_close, fd);
}
extern int __close(int) __attribute__((alias("close")));

int dup(int fd)
{
	return (int)M_SYS(SYS_dup, fd);
}

int dup2(int fd, int to)
{
	return (int)M_SYS(SYS_dup2, fd, to);
}
extern int __dup2(int, int) __attribute__((alias("dup2")));

int dup3(int fd, int to, int flags)
{
	return (int)M_SYS(SYS_dup3, fd, to, flags);
}

int pipe2(int fds[2], int flags)
{
	return (int)M_SYS(SYS_pipe2, fds, flags);
}

int pipe(int fds[2])
{
	return (int)M_SYS(SYS_pipe2, fds, 0);
}
extern int __pipe(int *) __attribute__((alias("pipe")));

int fsync(int fd)
{
	__m_testcancel();
	return (int)M_SYS(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	__m_testcancel();
	return (int)M_SYS(SYS_fdatasync, fd);
}

void sync(void)
{
	M_RAW(SYS_sync);
}

int ftruncate(int fd, off_t length)
{
	return (int)M_SYS(SYS_ftruncate, fd, length);
}
M_ALIAS(ftruncate64, ftruncate);

int truncate(const char *path, off_t length)
{
	return (int)M_SYS(SYS_truncate, path, length);
}
M_ALIAS(truncate64, truncate);

int flock(int fd, int operation)
{
	return (int)M_SYS(SYS_flock, fd, operation);
}

int isatty(int fd)
{
	char termios[64]; /* the kernel's struct has 36 bytes */

	return M_SYS(SYS_ioctl, fd, TCGETS, termios) == 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return (int)M_SYS(SYS_ioctl, fd, request, arg);
}

/* ---- opening and control (<fcntl.h>) ----------------------------------------------------- */

static int open_at(int dir, const char *path, int flags, va_list ap)
{
	mode_t mode = 0;

	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(ap, mode_t);
	__m_testcancel();
	return (int)M_SYS(SYS_openat, dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_at(AT_FDCWD, path, flags, ap);
	va_end(ap);
	return fd;
}
M_ALIAS(open64, open);
extern int __open(const char *, int, ...) __attribute__((alias("open")));
extern int __open64(const char *, int, ...) __attribute__((alias("open")));

int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_at(dir, path, flags, ap);
	va_end(ap);
	return fd;
}
M_ALIAS(openat64, openat);

int creat(const char *path, mode_t mode)
{
	__m_testcancel();
	return (int)M_SYS(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
M_ALIAS(creat64, creat);

int fcntl(int fd, int command, ...)
{
	va_list ap;
	long arg;

	va_start(ap, command);
	arg = va_arg(ap, long);
	va_end(ap);
	return (int)M_SYS(SYS_fcntl, fd, command, arg);
}
M_ALIAS(fcntl64, fcntl);
extern int __fcntl(int, int, ...) __attribute__((alias("fcntl")));

int posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
	(void)fd;
	(void)offset;
	(void)length;
	(void)advice;
	return 0;
}
M_ALIAS(posix_fadvise64, posix_fadvise);

int posix_fallocate(int fd, off_t offset, off_t length)
{
	long r = M_RAW(SYS_fallocate, fd, 0, offset, length);

	return r < 0 ? (int)-r : 0;
}
M_ALIAS(posix_fallocate64, posix_fallocate);

int lockf(int fd, int command, off_t length)
{
	struct flock lock = {.l_whence = SEEK_CUR, .l_len = length};

	switch (command) {
	case F_TEST:
		lock.l_type = F_RDLCK;
		if (M_SYS(SYS_fcntl, fd, F_GETLK, &lock) < 0)
			return -1;
		return lock.l_type == F_UNLCK || lock.l_pid == (pid_t)M_RAW(SYS_getpid)
			       ? 0
			       : m_fail(EACCES);
	case F_ULOCK:
		lock.l_type = F_UNLCK;
		return (int)M_SYS(SYS_fcntl, fd, F_SETLK, &lock);
	case F_LOCK:
		lock.l_type = F_WRLCK;
		return (int)M_SYS(SYS_fcntl, fd, F_SETLKW, &lock);
	case F_TLOCK:
		lock.l_type = F_WRLCK;
		return (int)M_SYS(SYS_fcntl, fd, F_SETLK, &lock);
	}
	return m_fail(EINVAL);
}
M_ALIAS(lockf64, lockf);
