/*
 * UTF-8 text on a terminal: its width, and text without control characters. A byte that is not part
 * of valid UTF-8 counts as one column.
 */
#ifndef HEDDLE_BASE_UTF8_H
#define HEDDLE_BASE_UTF8_H

#include "base/strbuf.h"

/* Length in bytes of the UTF-8 sequence at s; 0: not valid. Does not read beyond the final NUL. */
uint32_t utf8_length(const char *s);
bool utf8_valid(const char *s);
/* Columns of the first n bytes: a combining mark has none, a wide character two. */
uint32_t utf8_columns(const char *s, size_t n);
/* The largest number of bytes that fit into the columns: whole characters with their marks. */
size_t utf8_fit(const char *s, size_t n, uint32_t columns);
/* Appends the text safely for a terminal: control characters, marks of text direction, and bytes
 * that are not UTF-8 become U+FFFD; a tab or a no-break space becomes a space. */
void utf8_add_clean(struct strbuf *out, const char *s, size_t n);

#endif
