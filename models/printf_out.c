/* The printf family: where the engine's output goes. */
#include "model_printf.h"
#include <stdio.h>
#include <stdlib.h>

/* An unbuffered stream gets its output in one piece, as long as it is not larger than this. */
enum { PIECE = 1024 };

static ssize_t piece_write(struct m_file *piece, const char *buf, size_t n)
{
	return __m_sputn(piece->cookie, buf, n) == n ? (ssize_t)n : -1;
}

static const struct m_io piece_io = {.write = piece_write};

static int format_unbuffered(FILE *fp, const char *format, va_list ap, unsigned flags)
{
	struct m_file piece = {
		.f = {._flags = IO_MAGIC | IO_NO_READS | IO_USER_LOCK,
			._fileno = -1,
			._offset = -1},
		.io = &piece_io,
		.cookie = fp,
	};
	struct m_out out = {.fp = &piece.f};
	char buf[PIECE];
	int r;

	if (fp->_flags & IO_NO_WRITES) {
		fp->_flags |= IO_ERR;
		return m_fail(EBADF);
	}
	__m_set_buffer(&piece.f, buf, sizeof buf, true);
	r = __m_format(&out, format, ap, flags);
	return __m_flush(&piece.f) ? -1 : r;
}

int __m_vfprintf(FILE *fp, const char *format, va_list ap, unsigned flags)
{
	struct m_out out = {.fp = fp};
	int r;

	m_lock(fp);
	if (fp->_flags & IO_UNBUFFERED)
		r = format_unbuffered(fp, format, ap, flags);
	else
		r = __m_format(&out, format, ap, flags);
	m_unlock(fp);
	return r;
}

int __m_vsnprintf(char *buf, size_t size, const char *format, va_list ap, unsigned flags)
{
	struct m_out out = {.ptr = buf, .room = size ? size - 1 : 0};
	int r = __m_format(&out, format, ap, flags);

	if (size)
		*out.ptr = '\0';
	return r;
}

int __m_vasprintf(char **result, const char *format, va_list ap, unsigned flags)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = __m_vsnprintf(NULL, 0, format, again, flags);
	va_end(again);
	if (n < 0)
		return -1;
	*result = malloc((size_t)n + 1);
	return *result ? __m_vsnprintf(*result, (size_t)n + 1, format, ap, flags) : -1;
}

int __m_vdprintf(int fd, const char *format, va_list ap, unsigned flags)
{
	struct m_file f = {
		.f = {._flags = IO_MAGIC | IO_NO_READS | IO_UNBUFFERED,
			._fileno = fd,
			._offset = -1},
		.io = &__m_fd_io,
	};

	return format_unbuffered(&f.f, format, ap, flags);
}

int vfprintf(FILE *restrict fp, const char *restrict format, va_list ap)
{
	return __m_vfprintf(fp, format, ap, 0);
}

int vprintf(const char *restrict format, va_list ap)
{
	return __m_vfprintf(stdout, format, ap, 0);
}

int vsnprintf(char *restrict buf, size_t size, const char *restrict format, va_list ap)
{
	return __m_vsnprintf(buf, size, format, ap, 0);
}
M_ALIAS(__vsnprintf, vsnprintf);

int vsprintf(char *restrict buf, const char *restrict format, va_list ap)
{
	return __m_vsnprintf(buf, SIZE_MAX, format, ap, 0);
}

int vasprintf(char **restrict result, const char *restrict format, va_list ap)
{
	return __m_vasprintf(result, format, ap, 0);
}

int vdprintf(int fd, const char *restrict format, va_list ap)
{
	return __m_vdprintf(fd, format, ap, 0);
}

#define FORWARD(call) \
	va_list ap; \
	int r; \
	va_start(ap, format); \
	r = call; \
	va_end(ap); \
	return r

int printf(const char *restrict format, ...)
{
	FORWARD(__m_vfprintf(stdout, format, ap, 0));
}

int fprintf(FILE *restrict fp, const char *restrict format, ...)
{
	FORWARD(__m_vfprintf(fp, format, ap, 0));
}

int snprintf(char *restrict buf, size_t size, const char *restrict format, ...)
{
	FORWARD(__m_vsnprintf(buf, size, format, ap, 0));
}

int sprintf(char *restrict buf, const char *restrict format, ...)
{
	FORWARD(__m_vsnprintf(buf, SIZE_MAX, format, ap, 0));
}

int asprintf(char **restrict result, const char *restrict format, ...)
{
	FORWARD(__m_vasprintf(result, format, ap, 0));
}
M_ALIAS(__asprintf, asprintf);

int dprintf(int fd, const char *restrict format, ...)
{
	FORWARD(__m_vdprintf(fd, format, ap, 0));
}
