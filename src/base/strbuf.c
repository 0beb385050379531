#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void strbuf_init(struct strbuf *b)
{
	*b = (struct strbuf){0};
}

void strbuf_release(struct strbuf *b)
{
	free(b->s);
	*b = (struct strbuf){0};
}

void strbuf_clear(struct strbuf *b)
{
	b->n = 0;
	if (b->s)
		b->s[0] = 0;
}

static void reserve_bytes(struct strbuf *b, size_t more)
{
	size_t want = b->n + more + 1;

	if (b->cap >= want)
		return;
	b->cap = MAX(want, MAX(b->cap * 2, (size_t)64));
	b->s = xrealloc(b->s, b->cap);
}

void strbuf_add(struct strbuf *b, const void *p, size_t n)
{
	reserve_bytes(b, n);
	if (n)
		memcpy(b->s + b->n, p, n);
	b->n += n;
	b->s[b->n] = 0;
}

void strbuf_addc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_adds(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	reserve_bytes(b, 80);
	n = vsnprintf(b->s + b->n, b->cap - b->n, fmt, ap);
	BUG_ON(n < 0);
	if ((size_t)n >= b->cap - b->n) {
		reserve_bytes(b, (size_t)n);
		vsnprintf(b->s + b->n, b->cap - b->n, fmt, again);
	}
	b->n += (size_t)n;
	va_end(again);
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
}

void strbuf_add_word(struct strbuf *b, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./:,@%";

	if (*word && !word[strspn(word, plain)]) {
		strbuf_adds(b, word);
		return;
	}
	strbuf_addc(b, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_adds(b, "'\\''");
		else
			strbuf_addc(b, *word);
	strbuf_addc(b, '\'');
}

char *strbuf_detach(struct strbuf *b)
{
	char *s;

	reserve_bytes(b, 0);
	b->s[b->n] = 0;
	s = b->s;
	*b = (struct strbuf){0};
	return s;
}

int strbuf_read_fd(struct strbuf *b, int fd)
{
	ssize_t k;

	do {
		reserve_bytes(b, 1 << 16);
		k = read(fd, b->s + b->n, b->cap - b->n - 1);
		if (k > 0)
			b->n += (size_t)k;
	} while (k > 0 || (k < 0 && errno == EINTR));
	b->s[b->n] = 0;
	return k < 0 ? -1 : 0;
}

int strbuf_read_file(struct strbuf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = strbuf_read_fd(b, fd);
	close(fd);
	return rc;
}
