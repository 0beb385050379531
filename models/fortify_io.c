/* The functions that _FORTIFY_SOURCE calls for input and output. */
#include "model_printf.h"
#include "model_thread.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

_Noreturn void __chk_fail(void);
_Noreturn void __fortify_fail(const char *what);

static void check(size_t need, size_t have)
{
	if (need > have)
		__chk_fail();
}

/* ---- printf ------------------------------------------------------------------------------ */

static unsigned mode(int flag)
{
	return flag > 0 ? M_PRINTF_CHECKED : 0;
}

#define FORWARD(call) \
	va_list ap; \
	int r; \
	va_start(ap, format); \
	r = call; \
	va_end(ap); \
	return r

int __vfprintf_chk(FILE *restrict fp, int flag, const char *restrict format, va_list ap)
{
	return __m_vfprintf(fp, format, ap, mode(flag));
}

int __fprintf_chk(FILE *restrict fp, int flag, const char *restrict format, ...)
{
	FORWARD(__m_vfprintf(fp, format, ap, mode(flag)));
}

int __vprintf_chk(int flag, const char *restrict format, va_list ap)
{
	return __m_vfprintf(stdout, format, ap, mode(flag));
}

int __printf_chk(int flag, const char *restrict format, ...)
{
	FORWARD(__m_vfprintf(stdout, format, ap, mode(flag)));
}

/* Writes nothing past the object; an overflow ends the program. */
int __vsprintf_chk(char *restrict s, int flag, size_t size, const char *restrict format, va_list ap)
{
	int r;

	if (!size)
		__chk_fail();
	r = __m_vsnprintf(s, size, format, ap, mode(flag));
	if (r >= 0)
		check((size_t)r + 1, size);
	return r;
}

int __sprintf_chk(char *restrict s, int flag, size_t size, const char *restrict format, ...)
{
	FORWARD(__vsprintf_chk(s, flag, size, format, ap));
}

int __vsnprintf_chk(char *restrict s, size_t n, int flag, size_t size, const char *restrict format,
	va_list ap)
{
	check(n, size);
	return __m_vsnprintf(s, n, format, ap, mode(flag));
}

int __snprintf_chk(
	char *restrict s, size_t n, int flag, size_t size, const char *restrict format, ...)
{
	FORWARD(__vsnprintf_chk(s, n, flag, size, format, ap));
}

int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list ap)
{
	return __m_vdprintf(fd, format, ap, mode(flag));
}

int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
	FORWARD(__m_vdprintf(fd, format, ap, mode(flag)));
}

int __vasprintf_chk(char **restrict s, int flag, const char *restrict format, va_list ap)
{
	return __m_vasprintf(s, format, ap, mode(flag));
}

int __asprintf_chk(char **restrict s, int flag, const char *restrict format, ...)
{
	FORWARD(__m_vasprintf(s, format, ap, mode(flag)));
}

/* ---- streams ----------------------------------------------------------------------------- */

char *__fgets_chk(char *restrict buf, size_t size, int n, FILE *restrict fp)
{
	if (n > 0)
		check((size_t)n, size);
	return fgets(buf, n, fp);
}
extern char *__fgets_unlocked_chk(char *, size_t, int, FILE *)
	__attribute__((alias("__fgets_chk")));

size_t __fread_chk(void *restrict buf, size_t room, size_t size, size_t n, FILE *restrict fp)
{
	size_t bytes;

	if (__builtin_mul_overflow(size, n, &bytes))
		__chk_fail();
	check(bytes, room);
	return fread(buf, size, n, fp);
}
extern size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *)
	__attribute__((alias("__fread_chk")));

char *__gets_chk(char *buf, size_t size)
{
	size_t n = 0;
	int c;

	if (!size)
		__chk_fail();
	while ((c = fgetc(stdin)) != EOF && c != '\n') {
		check(n + 2, size);
		buf[n++] = (char)c;
	}
	if (c == EOF && !n)
		return NULL;
	buf[n] = '\0';
	return buf;
}

/* ---- descriptors and paths --------------------------------------------------------------- */

ssize_t __read_chk(int fd, void *buf, size_t n, size_t size)
{
	check(n, size);
	__m_testcancel();
	return M_SYS(SYS_read, fd, buf, n);
}

ssize_t __pread_chk(int fd, void *buf, size_t n, off_t offset, size_t size)
{
	check(n, size);
	__m_testcancel();
	return M_SYS(SYS_pread64, fd, buf, n, offset);
}
M_ALIAS(__pread64_chk, __pread_chk);

ssize_t __readlink_chk(const char *restrict path, char *restrict buf, size_t n, size_t size)
{
	check(n, size);
	return M_SYS(SYS_readlink, path, buf, n);
}

ssize_t __readlinkat_chk(
	int dir, const char *restrict path, char *restrict buf, size_t n, size_t size)
{
	check(n, size);
	return M_SYS(SYS_readlinkat, dir, path, buf, n);
}

char *__getcwd_chk(char *buf, size_t n, size_t size)
{
	extern char *__getcwd(char *, size_t);

	check(n, size);
	return __getcwd(buf, n);
}

char *__realpath_chk(const char *path, char *buf, size_t size)
{
	extern char *__realpath(const char *, char *);

	check(PATH_MAX, size);
	return __realpath(path, buf);
}

int __gethostname_chk(char *buf, size_t n, size_t size)
{
	extern int __gethostname(char *, size_t);

	check(n, size);
	return __gethostname(buf, n);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
	extern int __poll(struct pollfd *, nfds_t, int);

	check(n * sizeof *fds, size);
	return __poll(fds, n, timeout);
}

/* open without the mode that O_CREAT needs */
static int open_at(int dir, const char *path, int flags)
{
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		__fortify_fail("invalid open call: O_CREAT or O_TMPFILE without mode");
	__m_testcancel();
	return (int)M_SYS(SYS_openat, dir, path, flags, 0);
}

int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags);
}
extern int __open64_2(const char *, int) __attribute__((alias("__open_2")));

int __openat_2(int dir, const char *path, int flags)
{
	return open_at(dir, path, flags);
}
extern int __openat64_2(int, const char *, int) __attribute__((alias("__openat_2")));
