/*
 * Bytes as a test case shows them beside their hexadecimal digits, for its writer and its reader,
 * who checks that they still say the same.
 */
#ifndef HEDDLE_FINDING_TESTCASE_BYTES_H
#define HEDDLE_FINDING_TESTCASE_BYTES_H

#include "base/strbuf.h"

enum { TESTCASE_VERSION = 1 };

/* What can be read of the bytes, a point for each that cannot. */
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
