/* Characters, lines and blocks of <stdio.h>, and positions: locking around stdio.c. */
#include "model_stdio.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef getc
#undef putc
#undef fread_unlocked
#undef fwrite_unlocked

/* ---- characters -------------------------------------------------------------------------- */

/* A byte in the buffer of an unlocked stream needs no lock: there is no switch point in between. */
int fgetc(FILE *fp)
{
	int c;

	m_order(fp);
	if (!m_file(fp)->depth && fp->_IO_read_ptr < fp->_IO_read_end)
		return (unsigned char)*fp->_IO_read_ptr++;
	m_lock(fp);
	c = m_getc(fp);
	m_unlock(fp);
	return c;
}
M_ALIAS(getc, fgetc);
extern int _IO_getc(FILE *) __attribute__((alias("fgetc")));

int getchar(void)
{
	return fgetc(stdin);
}

int fgetc_unlocked(FILE *fp)
{
	return m_getc(fp);
}
M_ALIAS(getc_unlocked, fgetc_unlocked);

int getchar_unlocked(void)
{
	return m_getc(stdin);
}

int fputc(int c, FILE *fp)
{
	int r;

	m_order(fp);
	if (!m_file(fp)->depth && fp->_IO_write_ptr < fp->_IO_write_end)
		return (unsigned char)(*fp->_IO_write_ptr++ = (char)c);
	m_lock(fp);
	r = m_putc(c, fp);
	m_unlock(fp);
	return r;
}
M_ALIAS(putc, fputc);
extern int _IO_putc(int, FILE *) __attribute__((alias("fputc")));

int putchar(int c)
{
	return fputc(c, stdout);
}

int fputc_unlocked(int c, FILE *fp)
{
	return m_putc(c, fp);
}
M_ALIAS(putc_unlocked, fputc_unlocked);

int putchar_unlocked(int c)
{
	return m_putc(c, stdout);
}

int ungetc(int c, FILE *fp)
{
	int r;

	m_lock(fp);
	r = __m_ungetc(fp, c);
	m_unlock(fp);
	return r;
}

static int get_word(FILE *fp, size_t n, int *w)
{
	return __m_sgetn(fp, (char *)w, n) == n ? 0 : EOF;
}

int getw(FILE *fp)
{
	int w, r;

	m_lock(fp);
	r = get_word(fp, sizeof w, &w);
	m_unlock(fp);
	return r ? EOF : w;
}

int putw(int w, FILE *fp)
{
	size_t n;

	m_lock(fp);
	n = __m_sputn(fp, (const char *)&w, sizeof w);
	m_unlock(fp);
	return n == sizeof w ? 0 : EOF;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* The bytes in the buffer up to and with delim, at most n; refills an empty one. 0 at the end. */
static size_t line_part(FILE *fp, size_t n, int delim, bool *found)
{
	size_t have, k = 0;

	*found = false;
	if (fp->_IO_read_ptr >= fp->_IO_read_end && __underflow(fp) == EOF)
		return 0;
	have = (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
	if (have > n)
		have = n;
	while (k < have && !*found)
		*found = fp->_IO_read_ptr[k++] == (char)delim;
	return k;
}

static void take(FILE *fp, char *to, size_t n)
{
	__builtin_memcpy(to, fp->_IO_read_ptr, n);
	fp->_IO_read_ptr += n;
}

/* At most n bytes up to and with delim; *failed: an error occurred in this call. */
static size_t get_line(FILE *fp, char *buf, size_t n, int delim, bool *failed)
{
	int old = fp->_flags & IO_ERR;
	bool found = false;
	size_t k = 0, part = 0;

	fp->_flags &= ~IO_ERR;
	while (k < n && !found && (part = line_part(fp, n - k, delim, &found))) {
		take(fp, buf + k, part);
		k += part;
	}
	*failed = fp->_flags & IO_ERR && errno != EAGAIN;
	fp->_flags |= old;
	return k;
}

char *__fgets_unlocked(char *restrict buf, int n, FILE *restrict fp)
{
	bool failed;
	size_t k;

	if (n <= 0)
		return NULL;
	if (n == 1) {
		*buf = '\0';
		return buf;
	}
	k = get_line(fp, buf, (size_t)n - 1, '\n', &failed);
	if (!k || failed)
		return NULL;
	buf[k] = '\0';
	return buf;
}
M_ALIAS(fgets_unlocked, __fgets_unlocked);

char *fgets(char *restrict buf, int n, FILE *restrict fp)
{
	m_lock(fp);
	buf = __fgets_unlocked(buf, n, fp);
	m_unlock(fp);
	return buf;
}

char *gets(char *buf)
{
	bool failed;
	size_t k;

	m_lock(stdin);
	k = get_line(stdin, buf, SIZE_MAX, '\n', &failed);
	m_unlock(stdin);
	if (!k || failed)
		return NULL;
	buf[buf[k - 1] == '\n' ? k - 1 : k] = '\0';
	return buf;
}

/* Room for that many bytes. */
static int line_room(char **line, size_t *size, size_t need)
{
	char *p;

	if (need <= *size)
		return 0;
	if (need < *size * 2)
		need = *size * 2;
	p = realloc(*line, need);
	if (!p)
		return -1;
	*line = p;
	*size = need;
	return 0;
}

static ssize_t get_delim(char **line, size_t *size, int delim, FILE *fp)
{
	size_t k = 0, part = 0;
	bool found = false;

	if (!*line || !*size) {
		*size = 120;
		*line = malloc(*size);
		if (!*line)
			return -1;
	}
	while (!found && (part = line_part(fp, SIZE_MAX, delim, &found))) {
		if (line_room(line, size, k + part + 1))
			return -1;
		take(fp, *line + k, part);
		k += part;
	}
	if (!k)
		return -1;
	(*line)[k] = '\0';
	return (ssize_t)k;
}

ssize_t __getdelim(char **restrict line, size_t *restrict size, int delim, FILE *restrict fp)
{
	ssize_t r;

	if (!line || !size)
		return m_fail(EINVAL);
	m_lock(fp);
	r = get_delim(line, size, delim, fp);
	m_unlock(fp);
	return r;
}
M_ALIAS(getdelim, __getdelim);

ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict fp)
{
	return __getdelim(line, size, '\n', fp);
}

int fputs_unlocked(const char *restrict s, FILE *restrict fp)
{
	size_t n = strlen(s);

	return __m_sputn(fp, s, n) == n ? 1 : EOF;
}

int fputs(const char *restrict s, FILE *restrict fp)
{
	size_t n = strlen(s), k;

	m_lock(fp);
	k = __m_sputn(fp, s, n);
	m_unlock(fp);
	return k == n ? 1 : EOF;
}

int puts(const char *s)
{
	FILE *fp = stdout;
	size_t n = strlen(s);
	int r = EOF;

	m_lock(fp);
	if (__m_sputn(fp, s, n) == n && m_putc('\n', fp) != EOF)
		r = n < INT_MAX ? (int)n + 1 : INT_MAX;
	m_unlock(fp);
	return r;
}

/* ---- blocks ------------------------------------------------------------------------------ */

static size_t read_blocks(char *buf, size_t size, size_t n, FILE *fp)
{
	size_t bytes = size * n, got;

	if (!bytes)
		return 0;
	got = __m_sgetn(fp, buf, bytes);
	return got == bytes ? n : got / size;
}

size_t fread_unlocked(void *restrict buf, size_t size, size_t n, FILE *restrict fp)
{
	return read_blocks(buf, size, n, fp);
}

size_t fread(void *restrict buf, size_t size, size_t n, FILE *restrict fp)
{
	size_t r;

	m_lock(fp);
	r = read_blocks(buf, size, n, fp);
	m_unlock(fp);
	return r;
}

/* A failed flush of a line that is already in the buffer counts as written in full. */
static size_t write_blocks(const char *buf, size_t size, size_t n, FILE *fp)
{
	size_t bytes = size * n, put;

	if (!bytes)
		return 0;
	put = __m_sputn(fp, buf, bytes);
	return put == bytes || put == (size_t)EOF ? n : put / size;
}

size_t fwrite_unlocked(const void *restrict buf, size_t size, size_t n, FILE *restrict fp)
{
	return write_blocks(buf, size, n, fp);
}

size_t fwrite(const void *restrict buf, size_t size, size_t n, FILE *restrict fp)
{
	size_t r;

	m_lock(fp);
	r = write_blocks(buf, size, n, fp);
	m_unlock(fp);
	return r;
}

/* ---- position ---------------------------------------------------------------------------- */

int fseeko(FILE *fp, off_t offset, int whence)
{
	off_t r;

	if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
		return m_fail(EINVAL);
	m_lock(fp);
	r = __m_seek(fp, offset, whence);
	m_unlock(fp);
	return r < 0 ? -1 : 0;
}
M_ALIAS(fseek, fseeko);
M_ALIAS(fseeko64, fseeko);

off_t ftello(FILE *fp)
{
	off_t r;

	m_lock(fp);
	r = __m_tell(fp);
	m_unlock(fp);
	return r;
}
M_ALIAS(ftell, ftello);
M_ALIAS(ftello64, ftello);

void rewind(FILE *fp)
{
	m_lock(fp);
	__m_seek(fp, 0, SEEK_SET);
	fp->_flags &= ~(IO_EOF | IO_ERR);
	m_unlock(fp);
}

int fgetpos(FILE *restrict fp, fpos_t *restrict pos)
{
	off_t at;

	m_lock(fp);
	at = __m_tell(fp);
	m_unlock(fp);
	if (at < 0)
		return -1;
	pos->__pos = at;
	return 0;
}

int fgetpos64(FILE *restrict fp, fpos64_t *restrict pos)
{
	return fgetpos(fp, (fpos_t *)pos);
}

int fsetpos(FILE *fp, const fpos_t *pos)
{
	off_t r;

	m_lock(fp);
	r = __m_seek(fp, pos->__pos, SEEK_SET);
	m_unlock(fp);
	return r < 0 ? -1 : 0;
}

int fsetpos64(FILE *fp, const fpos64_t *pos)
{
	return fsetpos(fp, (const fpos_t *)pos);
}

/* ---- state ------------------------------------------------------------------------------- */

int feof(FILE *fp)
{
	return (fp->_flags & IO_EOF) != 0;
}
M_ALIAS(feof_unlocked, feof);

int ferror(FILE *fp)
{
	return (fp->_flags & IO_ERR) != 0;
}
M_ALIAS(ferror_unlocked, ferror);

void clearerr(FILE *fp)
{
	fp->_flags &= ~(IO_EOF | IO_ERR);
}
M_ALIAS(clearerr_unlocked, clearerr);

int fileno(FILE *fp)
{
	return fp->_fileno < 0 ? m_fail(EBADF) : fp->_fileno;
}
M_ALIAS(fileno_unlocked, fileno);

void perror(const char *s)
{
	int e = errno;

	fprintf(stderr, "%s%s%s\n", s ? s : "", s && *s ? ": " : "", strerror(e));
}
