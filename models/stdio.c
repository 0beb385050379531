/*
 * The buffer of a stream. The algorithms are glibc's, so that the same system calls happen at the
 * same places: a program that dies leaves the same output as natively.
 */
#include "model_stdio.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OFFSET_UNKNOWN (-1)

/* ---- the buffer -------------------------------------------------------------------------- */

static void free_buffer(FILE *fp)
{
	if (fp->_IO_buf_base && !(fp->_flags & IO_USER_BUF) && fp->_IO_buf_base != fp->_shortbuf)
		__heddle_free(fp->_IO_buf_base);
}

static void set_get(FILE *fp, char *base, char *ptr, char *end)
{
	fp->_IO_read_base = base;
	fp->_IO_read_ptr = ptr;
	fp->_IO_read_end = end;
}

static void set_put(FILE *fp, char *base, char *end)
{
	fp->_IO_write_base = fp->_IO_write_ptr = base;
	fp->_IO_write_end = end;
}

static void empty_buffer(FILE *fp)
{
	set_get(fp, fp->_IO_buf_base, fp->_IO_buf_base, fp->_IO_buf_base);
	set_put(fp, fp->_IO_buf_base, fp->_IO_buf_base);
}

void __m_set_buffer(FILE *fp, char *buf, size_t size, bool users)
{
	free_buffer(fp);
	if (!buf) {
		buf = fp->_shortbuf;
		size = 1;
		users = true;
	}
	fp->_IO_buf_base = buf;
	fp->_IO_buf_end = buf + size;
	fp->_flags = users ? fp->_flags | IO_USER_BUF : fp->_flags & ~IO_USER_BUF;
	/* bytes pushed back before the first read are in the backup area, and are kept */
	if (fp->_flags & IO_IN_BACKUP)
		fp->_IO_save_base = fp->_IO_save_end = buf;
	else
		set_get(fp, buf, buf, buf);
	set_put(fp, buf, buf);
}

static bool is_terminal(int fd)
{
	char termios[64]; /* the kernel's struct has 36 bytes */

	return M_RAW(SYS_ioctl, fd, TCGETS, termios) == 0;
}

/* The size that glibc chooses: the file's preferred block, at most BUFSIZ. */
static void allocate_buffer(FILE *fp)
{
	size_t size = M_BUFSIZ;
	struct stat st;
	char *buf;

	if (fp->_IO_buf_base)
		return;
	if (fp->_flags & IO_UNBUFFERED) {
		__m_set_buffer(fp, NULL, 0, true);
		return;
	}
	if (fp->_fileno >= 0 && M_RAW(SYS_fstat, fp->_fileno, &st) == 0) {
		if (S_ISCHR(st.st_mode) && is_terminal(fp->_fileno))
			fp->_flags |= IO_LINE_BUF;
		if (st.st_blksize > 0 && st.st_blksize < M_BUFSIZ)
			size = (size_t)st.st_blksize;
	}
	buf = __heddle_alloc(size, 16, false);
	__m_set_buffer(fp, buf, size, false);
}

/* ---- pushed-back bytes ------------------------------------------------------------------- */

static void swap_backup(FILE *fp)
{
	char *end = fp->_IO_read_end, *base = fp->_IO_read_base;

	fp->_IO_read_end = fp->_IO_save_end;
	fp->_IO_save_end = end;
	fp->_IO_read_base = fp->_IO_save_base;
	fp->_IO_save_base = base;
	fp->_flags ^= IO_IN_BACKUP;
}

static void to_main_area(FILE *fp)
{
	swap_backup(fp);
	fp->_IO_read_ptr = fp->_IO_read_base;
}

void __m_drop_backup(FILE *fp)
{
	if (fp->_flags & IO_IN_BACKUP)
		to_main_area(fp);
	if (!fp->_IO_save_base)
		return;
	__heddle_free(fp->_IO_save_base);
	fp->_IO_save_base = fp->_IO_save_end = fp->_IO_backup_base = NULL;
}

/* Doubles the room for pushed-back bytes, which stay at its end. */
static void grow_backup(FILE *fp)
{
	size_t old = (size_t)(fp->_IO_read_end - fp->_IO_read_base);
	char *buf = __heddle_alloc(old * 2, 1, false);

	__builtin_memcpy(buf + old, fp->_IO_read_base, old);
	__heddle_free(fp->_IO_read_base);
	set_get(fp, buf, buf + old, buf + 2 * old);
}

int __m_ungetc(FILE *fp, int c)
{
	if (c == EOF)
		return EOF;
	if (fp->_IO_read_ptr > fp->_IO_read_base && fp->_IO_read_ptr[-1] == (char)c) {
		fp->_IO_read_ptr--;
	} else {
		if (!(fp->_flags & IO_IN_BACKUP)) {
			/* drops the bytes read before: the main area must begin right after the
			 * pushed-back bytes */
			__m_drop_backup(fp);
			fp->_IO_save_base = __heddle_alloc(128, 1, false);
			fp->_IO_save_end = fp->_IO_save_base + 128;
			fp->_IO_read_base = fp->_IO_read_ptr;
			swap_backup(fp);
			fp->_IO_read_ptr = fp->_IO_read_end;
		} else if (fp->_IO_read_ptr == fp->_IO_read_base) {
			grow_backup(fp);
		}
		*--fp->_IO_read_ptr = (char)c;
	}
	fp->_flags &= ~IO_EOF;
	return (unsigned char)c;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* All of it to the file, in as many calls as needed; the number written. */
static size_t write_all(FILE *fp, const char *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t k = m_file(fp)->io->write(m_file(fp), buf + done, n - done);
		if (k < 0) {
			fp->_flags |= IO_ERR;
			break;
		}
		done += (size_t)k;
	}
	if (fp->_offset >= 0)
		fp->_offset += (off_t)done;
	return done;
}

/* Writes at the stream's logical position and empties the buffer; the number written. */
static size_t write_out(FILE *fp, const char *buf, size_t n)
{
	size_t done;

	if (fp->_flags & IO_APPENDING) {
		fp->_offset = OFFSET_UNKNOWN;
	} else if (fp->_IO_read_end != fp->_IO_write_base) {
		off_t at = m_file(fp)->io->seek(m_file(fp), fp->_IO_write_base - fp->_IO_read_end,
			SEEK_CUR);
		if (at < 0)
			return 0;
		fp->_offset = at;
	}
	done = write_all(fp, buf, n);
	set_get(fp, fp->_IO_buf_base, fp->_IO_buf_base, fp->_IO_buf_base);
	set_put(fp, fp->_IO_buf_base,
		fp->_flags & (IO_LINE_BUF | IO_UNBUFFERED) ? fp->_IO_buf_base : fp->_IO_buf_end);
	return done;
}

int __m_flush(FILE *fp)
{
	size_t n = (size_t)(fp->_IO_write_ptr - fp->_IO_write_base);

	return n && write_out(fp, fp->_IO_write_base, n) != n ? EOF : 0;
}

/* From reading, or from nothing, to writing. */
static int start_putting(FILE *fp)
{
	if (fp->_flags & IO_NO_WRITES) {
		fp->_flags |= IO_ERR;
		errno = EBADF;
		return EOF;
	}
	if (fp->_flags & IO_PUTTING && fp->_IO_write_base)
		return 0;
	allocate_buffer(fp);
	__m_drop_backup(fp);
	if (fp->_IO_read_ptr == fp->_IO_buf_end)
		fp->_IO_read_end = fp->_IO_read_ptr = fp->_IO_buf_base;
	set_put(fp, fp->_IO_read_ptr, fp->_IO_buf_end);
	fp->_IO_read_base = fp->_IO_read_ptr = fp->_IO_read_end;
	fp->_flags |= IO_PUTTING;
	if (fp->_flags & (IO_LINE_BUF | IO_UNBUFFERED))
		fp->_IO_write_end = fp->_IO_write_ptr;
	return 0;
}

int __overflow(FILE *fp, int c)
{
	if (start_putting(fp) || (fp->_IO_write_ptr == fp->_IO_buf_end && __m_flush(fp)))
		return EOF;
	*fp->_IO_write_ptr++ = (char)c;
	if ((fp->_flags & IO_UNBUFFERED || (fp->_flags & IO_LINE_BUF && (char)c == '\n')) &&
		__m_flush(fp))
		return EOF;
	return (unsigned char)c;
}

/* Number of bytes of buf that fit into the buffer before a write; *newline: they end with a line
 * that must be written. */
static size_t room(FILE *fp, const char *buf, size_t n, bool *newline)
{
	size_t k = 0;

	*newline = false;
	if (fp->_flags & IO_LINE_BUF && fp->_flags & IO_PUTTING) {
		k = (size_t)(fp->_IO_buf_end - fp->_IO_write_ptr);
		if (k >= n)
			for (size_t i = n; i; i--)
				if (buf[i - 1] == '\n') {
					*newline = true;
					return i;
				}
	} else if (fp->_IO_write_end > fp->_IO_write_ptr) {
		k = (size_t)(fp->_IO_write_end - fp->_IO_write_ptr);
	}
	return k < n ? k : n;
}

/* The tail of a long write, as in glibc: fills the buffer, and puts one byte by __overflow when
 * full. */
static size_t put_rest(FILE *fp, const char *buf, size_t n)
{
	size_t done = 0;

	for (;;) {
		size_t k = 0;
		if (fp->_IO_write_ptr < fp->_IO_write_end)
			k = (size_t)(fp->_IO_write_end - fp->_IO_write_ptr);
		if (k > n - done)
			k = n - done;
		__builtin_memcpy(fp->_IO_write_ptr, buf + done, k);
		fp->_IO_write_ptr += k;
		done += k;
		if (done == n || __overflow(fp, (unsigned char)buf[done]) == EOF)
			return done;
		done++;
	}
}

size_t __m_sputn(FILE *fp, const char *buf, size_t n)
{
	bool newline;
	size_t k, block, whole;

	if (!n)
		return 0;
	k = room(fp, buf, n, &newline);
	if (k) {
		__builtin_memcpy(fp->_IO_write_ptr, buf, k);
		fp->_IO_write_ptr += k;
	}
	if (k == n && !newline)
		return n;
	if (start_putting(fp) || __m_flush(fp))
		return k == n ? (size_t)EOF : k;
	block = (size_t)(fp->_IO_buf_end - fp->_IO_buf_base);
	whole = n - k;
	if (block >= 128)
		whole -= whole % block;
	if (whole) {
		size_t done = write_out(fp, buf + k, whole);
		k += done;
		if (done < whole)
			return k;
	}
	return k < n ? k + put_rest(fp, buf + k, n - k) : k;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* From writing to reading: writes buffered output; reading continues after it. */
static int start_getting(FILE *fp)
{
	if (fp->_IO_write_ptr > fp->_IO_write_base && __m_flush(fp))
		return EOF;
	if (!(fp->_flags & IO_PUTTING))
		return 0;
	fp->_IO_read_base = fp->_IO_buf_base;
	if (fp->_IO_write_ptr > fp->_IO_read_end)
		fp->_IO_read_end = fp->_IO_write_ptr;
	fp->_IO_read_ptr = fp->_IO_write_ptr;
	set_put(fp, fp->_IO_read_ptr, fp->_IO_read_ptr);
	fp->_flags &= ~IO_PUTTING;
	return 0;
}

static bool may_read(FILE *fp)
{
	if (!(fp->_flags & IO_NO_READS))
		return true;
	fp->_flags |= IO_ERR;
	errno = EBADF;
	return false;
}

static ssize_t read_some(FILE *fp, char *buf, size_t n)
{
	ssize_t k = m_file(fp)->io->read(m_file(fp), buf, n);

	if (k <= 0) {
		fp->_flags |= k ? IO_ERR : IO_EOF;
		fp->_offset = OFFSET_UNKNOWN;
		return 0;
	}
	if (fp->_offset >= 0)
		fp->_offset += k;
	return k;
}

/* A line-buffered or unbuffered reader flushes a line-buffered stdout first. */
static void flush_stdout(FILE *fp)
{
	FILE *out = stdout;

	if (!(fp->_flags & (IO_LINE_BUF | IO_UNBUFFERED)))
		return;
	if ((out->_flags & (IO_LINKED | IO_NO_WRITES | IO_LINE_BUF)) == (IO_LINKED | IO_LINE_BUF)) {
		m_lock(out);
		__m_flush(out);
		m_unlock(out);
	}
}

/* Refills an empty get area. */
static int refill(FILE *fp)
{
	ssize_t n;

	if (fp->_flags & IO_EOF || !may_read(fp))
		return EOF;
	allocate_buffer(fp);
	flush_stdout(fp);
	if (start_getting(fp))
		return EOF;
	empty_buffer(fp);
	n = read_some(fp, fp->_IO_buf_base, (size_t)(fp->_IO_buf_end - fp->_IO_buf_base));
	if (!n)
		return EOF;
	fp->_IO_read_end += n;
	return (unsigned char)*fp->_IO_read_ptr;
}

int __underflow(FILE *fp)
{
	if (fp->_flags & IO_PUTTING && start_getting(fp))
		return EOF;
	if (fp->_IO_read_ptr < fp->_IO_read_end)
		return (unsigned char)*fp->_IO_read_ptr;
	if (fp->_flags & IO_IN_BACKUP) {
		to_main_area(fp);
		if (fp->_IO_read_ptr < fp->_IO_read_end)
			return (unsigned char)*fp->_IO_read_ptr;
	}
	__m_drop_backup(fp);
	return refill(fp);
}

int __uflow(FILE *fp)
{
	int c = __underflow(fp);

	if (c != EOF)
		fp->_IO_read_ptr++;
	return c;
}

/* Whole blocks go straight to the caller's memory. 0 at the end. */
static size_t read_direct(FILE *fp, char *buf, size_t n)
{
	size_t block = (size_t)(fp->_IO_buf_end - fp->_IO_buf_base);

	if (block >= 128)
		n -= n % block;
	if (!may_read(fp))
		return 0;
	if (start_getting(fp))
		return 0;
	empty_buffer(fp);
	return (size_t)read_some(fp, buf, n);
}

size_t __m_sgetn(FILE *fp, char *buf, size_t n)
{
	size_t want = n;

	allocate_buffer(fp);
	while (want) {
		size_t have = (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
		if (have > want)
			have = want;
		__builtin_memcpy(buf, fp->_IO_read_ptr, have);
		fp->_IO_read_ptr += have;
		buf += have;
		want -= have;
		if (!want)
			break;
		if (fp->_flags & IO_IN_BACKUP) {
			to_main_area(fp);
		} else if (want < (size_t)(fp->_IO_buf_end - fp->_IO_buf_base)) {
			if (__underflow(fp) == EOF)
				break;
		} else {
			size_t k = read_direct(fp, buf, want);
			if (!k)
				break;
			buf += k;
			want -= k;
		}
	}
	return n - want;
}

/* ---- position ---------------------------------------------------------------------------- */

int __m_sync(FILE *fp)
{
	off_t ahead;

	if (__m_flush(fp))
		return EOF;
	ahead = fp->_IO_read_ptr - fp->_IO_read_end;
	if (ahead) {
		if (m_file(fp)->io->seek(m_file(fp), ahead, SEEK_CUR) >= 0)
			fp->_IO_read_end = fp->_IO_read_ptr;
		else if (errno != ESPIPE)
			return EOF;
	}
	fp->_offset = OFFSET_UNKNOWN;
	return 0;
}

/* The offset of a stream without a descriptor is not cached: io->seek gives it each time. */
static void forget_offset(FILE *fp)
{
	if (fp->_fileno < 0)
		fp->_offset = OFFSET_UNKNOWN;
}

off_t __m_tell(FILE *fp)
{
	off_t at, ahead = 0;

	forget_offset(fp);
	if (fp->_IO_write_ptr > fp->_IO_write_base) {
		ahead = fp->_IO_write_ptr - fp->_IO_read_end;
		if (fp->_flags & IO_APPENDING) {
			/* buffered bytes go to the end of the file, wherever its offset is */
			fp->_offset = m_file(fp)->io->seek(m_file(fp), 0, SEEK_END);
			if (fp->_offset < 0)
				return -1;
			ahead = fp->_IO_write_ptr - fp->_IO_write_base;
		}
	} else if (fp->_IO_buf_base) {
		ahead = fp->_IO_read_ptr - fp->_IO_read_end;
	}
	if (fp->_flags & IO_IN_BACKUP)
		ahead -= fp->_IO_save_end - fp->_IO_save_base;
	at = fp->_offset >= 0 ? fp->_offset : m_file(fp)->io->seek(m_file(fp), 0, SEEK_CUR);
	if (at < 0)
		return -1;
	if (at + ahead < 0)
		return m_fail(EINVAL);
	return at + ahead;
}

static off_t seek_file(FILE *fp, off_t offset, int whence)
{
	off_t at = m_file(fp)->io->seek(m_file(fp), offset, whence);

	if (at < 0)
		return -1;
	fp->_flags &= ~IO_EOF;
	fp->_offset = at;
	empty_buffer(fp);
	return at;
}

/* Seeks to an offset whose bytes are in the buffer; false if they are not. */
static bool seek_in_buffer(FILE *fp, off_t offset)
{
	off_t start = fp->_offset - (fp->_IO_read_end - fp->_IO_buf_base);

	if (fp->_offset < 0 || !fp->_IO_read_base || offset < start || offset >= fp->_offset)
		return false;
	set_get(fp, fp->_IO_buf_base, fp->_IO_buf_base + (offset - start), fp->_IO_read_end);
	set_put(fp, fp->_IO_buf_base, fp->_IO_buf_base);
	fp->_flags &= ~IO_EOF;
	m_file(fp)->io->seek(m_file(fp), fp->_offset, SEEK_SET);
	return true;
}

/* A reader's buffer is filled from a multiple of its size; exact: without reading ahead. */
static off_t seek_block(FILE *fp, off_t offset, bool exact)
{
	off_t size = fp->_IO_buf_end - fp->_IO_buf_base, block = offset & ~(size - 1);
	off_t delta = offset - block, at;
	ssize_t n = 0;

	if (delta > size) {
		block = offset;
		delta = 0;
	}
	at = m_file(fp)->io->seek(m_file(fp), block, SEEK_SET);
	if (at < 0)
		return -1;
	if (delta)
		n = m_file(fp)->io->read(
			m_file(fp), fp->_IO_buf_base, (size_t)(exact ? delta : size));
	if (n < delta)
		return seek_file(fp, n < 0 ? delta : delta - n, SEEK_CUR);
	set_get(fp, fp->_IO_buf_base, fp->_IO_buf_base + delta, fp->_IO_buf_base + n);
	set_put(fp, fp->_IO_buf_base, fp->_IO_buf_base);
	fp->_offset = at + n;
	fp->_flags &= ~IO_EOF;
	return offset;
}

/* Size of a regular file, which makes an offset from its end absolute. */
static bool file_size(FILE *fp, off_t *size)
{
	struct stat st;

	if (fp->_fileno < 0 || M_RAW(SYS_fstat, fp->_fileno, &st) || !S_ISREG(st.st_mode))
		return false;
	*size = st.st_size;
	return true;
}

off_t __m_seek(FILE *fp, off_t offset, int whence)
{
	bool exact =
		fp->_IO_read_base == fp->_IO_read_end && fp->_IO_write_base == fp->_IO_write_ptr;
	off_t base = 0;

	forget_offset(fp);
	if (whence == SEEK_CUR && fp->_flags & IO_IN_BACKUP)
		offset -= fp->_IO_read_end - fp->_IO_read_ptr;
	__m_drop_backup(fp);
	if (start_getting(fp))
		return -1;
	allocate_buffer(fp);
	if (whence == SEEK_CUR) {
		offset -= fp->_IO_read_end - fp->_IO_read_ptr;
		base = fp->_offset;
		if (base < 0)
			return seek_file(fp, offset, whence);
		if (base + offset < 0)
			return m_fail(EINVAL);
	} else if (whence == SEEK_END && !file_size(fp, &base)) {
		return seek_file(fp, offset, whence);
	}
	offset += base;
	if (seek_in_buffer(fp, offset))
		return offset;
	return fp->_flags & IO_NO_READS ? seek_file(fp, offset, SEEK_SET)
					: seek_block(fp, offset, exact);
}
