/* Growing string, always NUL-terminated after the first append. */
#ifndef HEDDLE_BASE_STRBUF_H
#define HEDDLE_BASE_STRBUF_H

#include "base/base.h"

#include <stdarg.h>

struct strbuf {
	char *s;
	size_t n, cap;
};

void strbuf_init(struct strbuf *b);
void strbuf_release(struct strbuf *b);
void strbuf_clear(struct strbuf *b);
void strbuf_add(struct strbuf *b, const void *p, size_t n);
void strbuf_addc(struct strbuf *b, char c);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) PRINTF(2, 3);
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap);
/* Appends a word as a shell reads it: quoted where that is necessary. */
void strbuf_add_word(struct strbuf *b, const char *word);
/* Returns the string (free it) and leaves the buffer empty. */
char *strbuf_detach(struct strbuf *b);
/* Append everything that can be read from the file or descriptor; -1 and errno on failure. */
int strbuf_read_file(struct strbuf *b, const char *path);
int strbuf_read_fd(struct strbuf *b, int fd);

#endif
