/* Streams: the standard three, fopen and similar, buffering, flushing, closing. */
#include "model_file.h"
#include "model_signal.h"
#include "model_stdio.h"
#include "model_thread.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- on file descriptors ----------------------------------------------------------------- */

/* Releases the stream's lock meanwhile: a thread that is cancelled here does not return. */
static void cancellation_point(struct m_file *f)
{
	unsigned depth = f->depth;

	f->depth = 0;
	if (f->waiting)
		__heddle_notify_one(&f->depth);
	__m_testcancel();
	f->depth = depth;
}

static ssize_t fd_read(struct m_file *f, char *buf, size_t n)
{
	cancellation_point(f);
	return M_SYS(SYS_read, f->f._fileno, buf, __heddle_read_size(f->f._fileno, n));
}

static ssize_t fd_write(struct m_file *f, const char *buf, size_t n)
{
	cancellation_point(f);
	return __m_written(f->f._fileno, M_RAW(SYS_write, f->f._fileno, buf, n));
}

static off_t fd_seek(struct m_file *f, off_t offset, int whence)
{
	return M_SYS(SYS_lseek, f->f._fileno, offset, whence);
}

static int fd_close(struct m_file *f)
{
	return (int)M_SYS(SYS_close, f->f._fileno);
}

const struct m_io __m_fd_io = {fd_read, fd_write, fd_seek, fd_close};

#define STANDARD(fd, flags, next) \
	{.f = {._flags = IO_MAGIC | IO_LINKED | (flags), ._fileno = (fd), ._offset = -1, \
		 ._chain = (next)}, .io = &__m_fd_io}

struct m_file __m_stdin = STANDARD(0, IO_NO_WRITES, NULL);
struct m_file __m_stdout = STANDARD(1, IO_NO_READS, &__m_stdin.f);
struct m_file __m_stderr = STANDARD(2, IO_NO_READS | IO_UNBUFFERED, &__m_stdout.f);
FILE *__m_streams = &__m_stderr.f;

FILE *stdin = &__m_stdin.f, *stdout = &__m_stdout.f, *stderr = &__m_stderr.f;
extern struct m_file _IO_2_1_stdin_ __attribute__((alias("__m_stdin")));
extern struct m_file _IO_2_1_stdout_ __attribute__((alias("__m_stdout")));
extern struct m_file _IO_2_1_stderr_ __attribute__((alias("__m_stderr")));

/* ---- opening ----------------------------------------------------------------------------- */

struct mode {
	int open;  /* of open(2) */
	int flags; /* of the stream */
};

/* -1 with EINVAL for a mode that begins with none of r, w, a. */
static int parse_mode(const char *s, struct mode *m)
{
	switch (*s) {
	case 'r': *m = (struct mode){O_RDONLY, IO_NO_WRITES}; break;
	case 'w': *m = (struct mode){O_WRONLY | O_CREAT | O_TRUNC, IO_NO_READS}; break;
	case 'a':
		*m = (struct mode){O_WRONLY | O_CREAT | O_APPEND, IO_NO_READS | IO_APPENDING};
		break;
	default: return m_fail(EINVAL);
	}
	for (int i = 1; i < 7 && s[i] && s[i] != ','; i++) {
		switch (s[i]) {
		case '+':
			m->open = (m->open & ~O_ACCMODE) | O_RDWR;
			m->flags &= IO_APPENDING;
			break;
		case 'x': m->open |= O_EXCL; break;
		case 'e': m->open |= O_CLOEXEC; break;
		}
	}
	return 0;
}

FILE *__m_stream_new(const struct m_io *io, void *cookie, int fd, int flags)
{
	struct m_file *f = __heddle_alloc(sizeof *f, _Alignof(struct m_file), true);

	if (!f) {
		errno = ENOMEM;
		return NULL;
	}
	f->f._flags = IO_MAGIC | IO_LINKED | flags;
	f->f._fileno = fd;
	f->f._offset = -1;
	f->f._chain = __m_streams;
	f->io = io;
	f->cookie = cookie;
	__m_streams = &f->f;
	return &f->f;
}

static int open_path(const char *path, const struct mode *m)
{
	int fd = (int)M_SYS(SYS_openat, AT_FDCWD, path, m->open, 0666);

	if (fd >= 0 && (m->open & O_APPEND) && (m->open & O_ACCMODE) == O_WRONLY)
		M_RAW(SYS_lseek, fd, 0, SEEK_END);
	return fd;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
	struct mode m;
	int fd;

	if (parse_mode(mode, &m))
		return NULL;
	fd = open_path(path, &m);
	return fd < 0 ? NULL : __m_stream_new(&__m_fd_io, NULL, fd, m.flags);
}
M_ALIAS(fopen64, fopen);

FILE *fdopen(int fd, const char *mode)
{
	struct mode m;
	long have;

	if (parse_mode(mode, &m))
		return NULL;
	have = M_SYS(SYS_fcntl, fd, F_GETFL);
	if (have < 0)
		return NULL;
	if (((have & O_ACCMODE) == O_RDONLY && !(m.flags & IO_NO_WRITES)) ||
		((have & O_ACCMODE) == O_WRONLY && !(m.flags & IO_NO_READS))) {
		errno = EINVAL;
		return NULL;
	}
	if ((m.open & O_APPEND) && !(have & O_APPEND) &&
		M_SYS(SYS_fcntl, fd, F_SETFL, have | O_APPEND) < 0)
		return NULL;
	return __m_stream_new(&__m_fd_io, NULL, fd, m.flags);
}

FILE *tmpfile(void)
{
	long fd = M_RAW(SYS_openat, AT_FDCWD, "/tmp", O_RDWR | O_TMPFILE | O_EXCL, 0600);

	if (fd < 0) {
		char path[] = "/tmp/tmpfXXXXXX";
		fd = __m_temp_file(path);
		if (fd < 0)
			return NULL;
		M_RAW(SYS_unlink, path);
	}
	return __m_stream_new(&__m_fd_io, NULL, (int)fd, 0);
}
M_ALIAS(tmpfile64, tmpfile);

/* ---- closing ----------------------------------------------------------------------------- */

static void unlink_stream(FILE *fp)
{
	FILE **at = &__m_streams;

	while (*at && *at != fp)
		at = &(*at)->_chain;
	if (*at)
		*at = fp->_chain;
	fp->_flags &= ~IO_LINKED;
}

static bool is_standard(FILE *fp)
{
	return fp == &__m_stdin.f || fp == &__m_stdout.f || fp == &__m_stderr.f;
}

/* Leaves the stream without file and buffer. Since glibc 2.41 the offset of a reader's file is
 * set to the next unread byte. */
static int close_file(FILE *fp)
{
	int r = __m_flush(fp);
	int error = errno;

#if __GLIBC_PREREQ(2, 41)
	if (!(fp->_flags & (IO_PUTTING | IO_IN_BACKUP)) && fp->_offset >= 0)
		__m_sync(fp);
	errno = error;
#endif
	__m_drop_backup(fp);
	if (m_file(fp)->io->close(m_file(fp)) && !r)
		r = EOF;
	else if (r)
		errno = error;
	__m_set_buffer(fp, NULL, 0, true);
	fp->_IO_buf_base = fp->_IO_buf_end = NULL;
	fp->_flags &= ~(IO_PUTTING | IO_USER_BUF);
	fp->_fileno = -1;
	fp->_offset = -1;
	return r;
}

int fclose(FILE *fp)
{
	int r;

	m_lock(fp);
	unlink_stream(fp);
	r = close_file(fp);
	m_unlock(fp);
	if (!is_standard(fp))
		__heddle_free(fp);
	return r;
}

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict fp)
{
	struct mode m;
	char self[32];
	int fd, old;

	m_lock(fp);
	old = fp->_fileno;
	if (!path) {
		snprintf(self, sizeof self, "/proc/self/fd/%d", old);
		path = self;
	}
	fd = parse_mode(mode, &m) ? -1 : open_path(path, &m);
	close_file(fp);
	if (fd >= 0 && old >= 0 && fd != old && M_RAW(SYS_dup2, fd, old) == old) {
		M_RAW(SYS_close, fd);
		fd = old;
	}
	if (!(fp->_flags & IO_LINKED)) {
		fp->_chain = __m_streams;
		__m_streams = fp;
	}
	fp->_flags = IO_MAGIC | IO_LINKED | m.flags | (fp->_flags & (IO_USER_LOCK | IO_UNBUFFERED));
	fp->_fileno = fd;
	fp->_mode = 0;
	m_file(fp)->io = &__m_fd_io;
	m_unlock(fp);
	if (fd >= 0)
		return fp;
	unlink_stream(fp);
	return NULL;
}
M_ALIAS(freopen64, freopen);

/* ---- flushing and buffering -------------------------------------------------------------- */

int __fflush_unlocked(FILE *fp)
{
	int r = 0;

	if (fp)
		return __m_sync(fp);
	for (fp = __m_streams; fp; fp = fp->_chain)
		if (__m_flush(fp))
			r = EOF;
	return r;
}
M_ALIAS(fflush_unlocked, __fflush_unlocked);

int fflush(FILE *fp)
{
	int r = 0;

	if (fp) {
		m_lock(fp);
		r = __m_sync(fp);
		m_unlock(fp);
		return r;
	}
	for (fp = __m_streams; fp; fp = fp->_chain) {
		m_lock(fp);
		if (__m_flush(fp))
			r = EOF;
		m_unlock(fp);
	}
	return r;
}

void _flushlbf(void)
{
	for (FILE *fp = __m_streams; fp; fp = fp->_chain)
		if (fp->_flags & IO_LINE_BUF)
			__m_flush(fp);
}

/* Sets the offset of a reader's file to the next unread byte. */
void __m_stdio_exit(void)
{
	__fflush_unlocked(NULL);
	for (FILE *fp = __m_streams; fp; fp = fp->_chain)
		if (!(fp->_flags & IO_UNBUFFERED) && fp->_IO_buf_base)
			__m_sync(fp);
}

int setvbuf(FILE *restrict fp, char *restrict buf, int mode, size_t size)
{
	int r = 0;

	m_lock(fp);
	switch (mode) {
	case _IOFBF: fp->_flags &= ~(IO_LINE_BUF | IO_UNBUFFERED); break;
	case _IOLBF: fp->_flags = (fp->_flags & ~IO_UNBUFFERED) | IO_LINE_BUF; break;
	case _IONBF: fp->_flags = (fp->_flags & ~IO_LINE_BUF) | IO_UNBUFFERED; break;
	default: r = EOF; break;
	}
	if (!r && mode == _IONBF)
		r = __m_sync(fp);
	if (!r && mode == _IONBF)
		__m_set_buffer(fp, NULL, 0, true);
	else if (!r && buf && size && !(r = __m_sync(fp)))
		__m_set_buffer(fp, buf, size, true);
	if (!r && fp->_flags & IO_PUTTING)
		fp->_IO_write_end = mode == _IOFBF ? fp->_IO_buf_end : fp->_IO_write_base;
	m_unlock(fp);
	return r;
}

void setbuf(FILE *restrict fp, char *restrict buf)
{
	setvbuf(fp, buf, buf ? _IOFBF : _IONBF, BUFSIZ);
}

void setbuffer(FILE *restrict fp, char *restrict buf, size_t size)
{
	setvbuf(fp, buf, buf ? _IOFBF : _IONBF, size);
}

void setlinebuf(FILE *fp)
{
	setvbuf(fp, NULL, _IOLBF, 0);
}

/* ---- locks ------------------------------------------------------------------------------- */

void flockfile(FILE *fp)
{
	__heddle_sync("flockfile", fp);
	m_lock(fp);
}

int ftrylockfile(FILE *fp)
{
	__heddle_sync("ftrylockfile", fp);
	if (m_file(fp)->depth && m_file(fp)->owner != __heddle_thread_self())
		return EBUSY;
	m_lock(fp);
	return 0;
}

void funlockfile(FILE *fp)
{
	__heddle_sync("funlockfile", fp);
	m_unlock(fp);
}

int __fsetlocking(FILE *fp, int type)
{
	int old = fp->_flags & IO_USER_LOCK ? FSETLOCKING_BYCALLER : FSETLOCKING_INTERNAL;

	if (type == FSETLOCKING_INTERNAL)
		fp->_flags &= ~IO_USER_LOCK;
	else if (type == FSETLOCKING_BYCALLER)
		fp->_flags |= IO_USER_LOCK;
	return old;
}
