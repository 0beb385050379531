/*
 * The readable forms of bytes that a test case has beside the hexadecimal digits. The writer adds
 * them; the reader checks that they agree with the digits.
 */
#ifndef HEDDLE_FINDING_TESTCASE_BYTES_H
#define HEDDLE_FINDING_TESTCASE_BYTES_H

#include "base/strbuf.h"

enum { TESTCASE_VERSION = 1 };

/* The bytes as ASCII text, with '.' for each byte that is not printable. */
static inline void bytes_readable(struct strbuf *b, const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_addc(b, s[i] >= 0x20 && s[i] < 0x7f ? (char)s[i] : '.');
}

static inline int64_t bytes_value(const uint8_t *s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)s[i] << 8 * i;
	return n && n < 8 ? (int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n) : (int64_t)v;
}

static inline bool bytes_has_value(size_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

#endif
