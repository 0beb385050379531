/* Streams on memory and on the program's own functions. */
#include "model_stdio.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int stream_flags(const char *mode)
{
	bool plus = strchr(mode, '+') != NULL;

	switch (*mode) {
	case 'r': return plus ? 0 : IO_NO_WRITES;
	case 'w': return plus ? 0 : IO_NO_READS;
	case 'a': return IO_APPENDING | (plus ? 0 : IO_NO_READS);
	}
	return m_fail(EINVAL);
}

/* ---- fmemopen ---------------------------------------------------------------------------- */

struct memory {
	char *data;
	size_t size, used, at;
	bool own, append;
};

static ssize_t memory_read(struct m_file *f, char *buf, size_t n)
{
	struct memory *m = f->cookie;
	size_t left = m->at < m->used ? m->used - m->at : 0;

	if (n > left)
		n = left;
	__builtin_memcpy(buf, m->data + m->at, n);
	m->at += n;
	return (ssize_t)n;
}

/* Terminates the text, if necessary by overwriting its last byte. */
static ssize_t memory_write(struct m_file *f, const char *buf, size_t n)
{
	struct memory *m = f->cookie;
	size_t at = m->append ? m->used : m->at;
	bool nul = !n || buf[n - 1] != '\0';

	if (at + n > m->size) {
		if (m->at + nul >= m->size)
			return m_fail(ENOSPC);
		n = m->size - at;
	}
	__builtin_memcpy(m->data + at, buf, n);
	m->at = at + n;
	if (m->at > m->used) {
		m->used = m->at;
		if (m->used < m->size && nul)
			m->data[m->used] = '\0';
		else if (!m->append && nul)
			m->data[m->size - 1] = '\0';
	}
	return (ssize_t)n;
}

static off_t memory_seek(struct m_file *f, off_t offset, int whence)
{
	struct memory *m = f->cookie;
	off_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off_t)m->at : (off_t)m->used;

	if (base + offset < 0 || (size_t)(base + offset) > m->size)
		return m_fail(EINVAL);
	m->at = (size_t)(base + offset);
	return (off_t)m->at;
}

static int memory_close(struct m_file *f)
{
	struct memory *m = f->cookie;

	if (m->own)
		__heddle_free(m->data);
	__heddle_free(m);
	return 0;
}

static const struct m_io memory_io = {memory_read, memory_write, memory_seek, memory_close};

FILE *fmemopen(void *restrict buf, size_t size, const char *restrict mode)
{
	int flags = stream_flags(mode);
	struct memory *m;

	if (flags < 0)
		return NULL;
	m = __heddle_alloc(sizeof *m, _Alignof(struct memory), true);
	if (!m)
		return NULL;
	m->own = !buf;
	m->data = buf ? buf : __heddle_alloc(size, 1, true);
	m->size = size;
	m->append = *mode == 'a';
	if (*mode == 'r')
		m->used = size;
	if (*mode == 'w' && mode[1] == '+' && size)
		m->data[0] = '\0';
	if (*mode == 'a') {
		while (m->used < size && m->data[m->used])
			m->used++;
		m->at = m->used;
	}
	return __m_stream_new(&memory_io, m, -1, flags);
}

/* ---- open_memstream ---------------------------------------------------------------------- */

struct growing {
	char **data_out;
	size_t *size_out;
	char *data;
	size_t size, used, at; /* size: room without the NUL */
};

static int growing_room(struct growing *g, size_t need)
{
	size_t size = g->size;
	char *p;

	if (need <= size)
		return 0;
	while (size < need)
		size = size * 2 + 100;
	p = realloc(g->data, size + 1);
	if (!p)
		return m_fail(ENOMEM);
	__builtin_memset(p + g->size, 0, size + 1 - g->size);
	g->data = p;
	g->size = size;
	return 0;
}

static void growing_publish(struct growing *g)
{
	*g->data_out = g->data;
	*g->size_out = g->at;
}

static ssize_t growing_write(struct m_file *f, const char *buf, size_t n)
{
	struct growing *g = f->cookie;

	if (growing_room(g, g->at + n))
		return -1;
	__builtin_memcpy(g->data + g->at, buf, n);
	g->at += n;
	if (g->at > g->used)
		g->used = g->at;
	growing_publish(g);
	return (ssize_t)n;
}

static off_t growing_seek(struct m_file *f, off_t offset, int whence)
{
	struct growing *g = f->cookie;
	off_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off_t)g->at : (off_t)g->used;

	if (base + offset < 0)
		return m_fail(EINVAL);
	if (growing_room(g, (size_t)(base + offset)))
		return -1;
	g->at = (size_t)(base + offset);
	growing_publish(g);
	return base + offset;
}

static int growing_close(struct m_file *f)
{
	struct growing *g = f->cookie;

	g->data[g->at] = '\0';
	growing_publish(g);
	__heddle_free(g);
	return 0;
}

static const struct m_io growing_io = {NULL, growing_write, growing_seek, growing_close};

FILE *open_memstream(char **data, size_t *size)
{
	struct growing *g = __heddle_alloc(sizeof *g, _Alignof(struct growing), true);

	if (!g)
		return NULL;
	g->data_out = data;
	g->size_out = size;
	g->data = malloc(1);
	if (!g->data)
		return NULL;
	g->data[0] = '\0';
	growing_publish(g);
	return __m_stream_new(&growing_io, g, -1, IO_NO_READS);
}

/* ---- fopencookie ------------------------------------------------------------------------- */

struct user_stream {
	cookie_io_functions_t fn;
	void *cookie;
};

static ssize_t user_read(struct m_file *f, char *buf, size_t n)
{
	struct user_stream *u = f->cookie;

	return u->fn.read ? u->fn.read(u->cookie, buf, n) : -1;
}

static ssize_t user_write(struct m_file *f, const char *buf, size_t n)
{
	struct user_stream *u = f->cookie;
	ssize_t k = u->fn.write ? u->fn.write(u->cookie, buf, n) : -1;

	/* a writer returns 0 for an error */
	return k > 0 ? k : -1;
}

static off_t user_seek(struct m_file *f, off_t offset, int whence)
{
	struct user_stream *u = f->cookie;
	off64_t at = offset;

	if (!u->fn.seek)
		return m_fail(ENOTSUP);
	return u->fn.seek(u->cookie, &at, whence) ? -1 : at;
}

static int user_close(struct m_file *f)
{
	struct user_stream *u = f->cookie;
	int r = u->fn.close ? u->fn.close(u->cookie) : 0;

	__heddle_free(u);
	return r;
}

static const struct m_io user_io = {user_read, user_write, user_seek, user_close};

FILE *fopencookie(void *restrict cookie, const char *restrict mode, cookie_io_functions_t fn)
{
	int flags = stream_flags(mode);
	struct user_stream *u;

	if (flags < 0)
		return NULL;
	u = __heddle_alloc(sizeof *u, _Alignof(struct user_stream), false);
	if (!u)
		return NULL;
	*u = (struct user_stream){fn, cookie};
	return __m_stream_new(&user_io, u, -1, flags);
}
