/*
 * Streams. A stream is glibc's struct _IO_FILE, because macros of its headers (getc_unlocked,
 * putc_unlocked, feof_unlocked) reach into it, followed by fields of our own. The meaning of the
 * pointers is glibc's too, so that buffers fill, flush and refill at the same bytes:
 *
 *  - reading: [read_base, read_ptr) consumed, [read_ptr, read_end) to come, inside the buffer;
 *    after an ungetc of a byte that differs from the byte read, these three pointers delimit the
 *    pushed-back bytes (IO_IN_BACKUP) and the save_* pointers hold the main area
 *  - writing (IO_PUTTING): [write_base, write_ptr) is not written yet; write_end is write_base
 *    when each byte must pass through __overflow (line-buffered or unbuffered)
 *  - _offset is the file offset behind the buffer's read_end or write_base, or -1 if unknown
 *
 * Functions of this header do not lock; the public ones do, by m_lock and m_unlock.
 */
#ifndef HEDDLE_MODELS_STDIO_H
#define HEDDLE_MODELS_STDIO_H

#include "model.h"
#include <bits/types/FILE.h>
#include <bits/types/struct_FILE.h>

enum { /* glibc's bits of _flags; _IO_EOF_SEEN 0x10 and _IO_ERR_SEEN 0x20 are in its header */
	IO_MAGIC = (int)0xfbad0000,
	IO_USER_BUF = 0x1,
	IO_UNBUFFERED = 0x2,
	IO_NO_READS = 0x4,
	IO_NO_WRITES = 0x8,
	IO_EOF = 0x10,
	IO_ERR = 0x20,
	IO_LINKED = 0x80,
	IO_IN_BACKUP = 0x100,
	IO_LINE_BUF = 0x200,
	IO_PUTTING = 0x800,
	IO_APPENDING = 0x1000,
	IO_USER_LOCK = 0x8000,
};

#define M_BUFSIZ 8192

struct m_file;

/* The operations below a stream. Results as of read, write, lseek, close: -1 and errno. */
struct m_io {
	ssize_t (*read)(struct m_file *f, char *buf, size_t n);
	ssize_t (*write)(struct m_file *f, const char *buf, size_t n);
	off_t (*seek)(struct m_file *f, off_t offset, int whence);
	int (*close)(struct m_file *f);
};
extern const struct m_io __m_fd_io;

struct m_file {
	FILE f; /* first: a FILE * is a struct m_file * */
	const struct m_io *io;
	void *cookie;                        /* for io */
	unsigned owner, depth, waiting;      /* the stream's lock */
};

extern struct m_file __m_stdin, __m_stdout, __m_stderr;
extern FILE *__m_streams; /* all open streams, newest first, linked by _chain */

M_INLINE struct m_file *m_file(FILE *fp)
{
	return (struct m_file *)fp;
}

/* ---- locking: recursive; a thread waits only if the owner blocks in a system call --------- */

/* Which thread gets the next bytes of a stream, or writes the next, depends on the order. For the
 * standard output only an observer outside sees it, unless it is redirected. */
M_INLINE void m_order(FILE *fp)
{
	if (!__heddle_writes_outside(fp->_fileno))
		__heddle_order(fp, true);
}

M_INLINE void m_lock(FILE *fp)
{
	struct m_file *f = m_file(fp);
	unsigned self;

	if (fp->_flags & IO_USER_LOCK)
		return;
	self = __heddle_thread_self();
	if (!f->depth || f->owner != self)
		m_order(fp);
	while (f->depth && f->owner != self) {
		f->waiting++;
		__heddle_wait(&f->depth, "stream lock");
		f->waiting--;
	}
	f->owner = self;
	f->depth++;
}

M_INLINE void m_unlock(FILE *fp)
{
	struct m_file *f = m_file(fp);

	if (fp->_flags & IO_USER_LOCK)
		return;
	if (--f->depth == 0 && f->waiting)
		__heddle_notify_one(&f->depth);
}

/* ---- bytes: stdio.c ---------------------------------------------------------------------- */

/* glibc's own names, which its headers use */
int __underflow(FILE *fp);         /* next byte without consuming it, after refilling; or EOF */
int __uflow(FILE *fp);             /* the same, and consumes it */
int __overflow(FILE *fp, int c);   /* puts c (not EOF) through the slow path; or EOF */
/* Return the bytes read or written: less than n only at end of file or on an error, which is
 * flagged. */
size_t __m_sgetn(FILE *fp, char *buf, size_t n);
size_t __m_sputn(FILE *fp, const char *buf, size_t n);
/* Writes buffered output to the file; for a reader seeks back over unread bytes. 0 or EOF. */
int __m_sync(FILE *fp);
/* Writes buffered output to the file, nothing else. 0 or EOF. */
int __m_flush(FILE *fp);
int __m_ungetc(FILE *fp, int c);
off_t __m_seek(FILE *fp, off_t offset, int whence);
off_t __m_tell(FILE *fp);
/* Gives fp that buffer; buf NULL with size 0 means its one-byte buffer. */
void __m_set_buffer(FILE *fp, char *buf, size_t size, bool users);
void __m_drop_backup(FILE *fp);

M_INLINE int m_getc(FILE *fp)
{
	return fp->_IO_read_ptr < fp->_IO_read_end ? (unsigned char)*fp->_IO_read_ptr++
						   : __uflow(fp);
}

M_INLINE int m_putc(int c, FILE *fp)
{
	return fp->_IO_write_ptr < fp->_IO_write_end
		? (unsigned char)(*fp->_IO_write_ptr++ = (char)c)
		: __overflow(fp, (unsigned char)c);
}

/* ---- streams: stdio_open.c --------------------------------------------------------------- */

/* A new stream in the list, on io; NULL with errno if memory ran out. fd is -1 without one. */
FILE *__m_stream_new(const struct m_io *io, void *cookie, int fd, int flags);
/* Flushes all streams and sets the offsets of readers' files, at the end of the program. */
void __m_stdio_exit(void);

#endif
