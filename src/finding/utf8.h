/*
 * Text as a terminal shows it: UTF-8 in, columns out. Bytes that are no UTF-8 count as one column
 * each.
 */
#ifndef HEDDLE_FINDING_UTF8_H
#define HEDDLE_FINDING_UTF8_H

#include "base/strbuf.h"

/* Length of the sequence that begins here, 0 if it is none. Stops at the end of the string. */
uint32_t utf8_length(const char *s);
bool utf8_valid(const char *s);
/* Columns of the first n bytes: combining marks take none, wide characters two. */
uint32_t utf8_columns(const char *s, size_t n);
/* The most bytes that fit into the columns, whole characters with their marks. */
size_t utf8_fit(const char *s, size_t n, uint32_t columns);
/* Appends the text for a line of a terminal: control characters and bytes that are no UTF-8 become
 * U+FFFD, tabs and no-break spaces one space. */
void utf8_add_clean(struct strbuf *out, const char *s, size_t n);

#endif
