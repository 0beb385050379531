/*
 * The printf engine: one walk over the format, output to a stream or into bounded memory.
 */
#ifndef HEDDLE_MODELS_PRINTF_H
#define HEDDLE_MODELS_PRINTF_H

#include <stdarg.h>
#include "model_stdio.h"

struct m_out {
	FILE *fp;         /* output stream; NULL: output goes to ptr */
	char *ptr;        /* next byte of the output memory */
	size_t room;      /* bytes left at ptr; further output is only counted */
	uint64_t total;   /* bytes so far, also those that did not fit */
	bool failed;      /* the stream failed, errno is set */
};

enum {
	M_PRINTF_CHECKED = 1 << 0, /* fortified: %n only in formats that cannot be written to */
};

/* Total bytes, or -1 with errno. */
int __m_format(struct m_out *out, const char *format, va_list ap, unsigned flags);
/* Locked, and through one buffer for an unbuffered stream. */
int __m_vfprintf(FILE *fp, const char *format, va_list ap, unsigned flags);
/* Always terminated if size > 0. */
int __m_vsnprintf(char *buf, size_t size, const char *format, va_list ap, unsigned flags);
int __m_vasprintf(char **out, const char *format, va_list ap, unsigned flags);
int __m_vdprintf(int fd, const char *format, va_list ap, unsigned flags);

#endif
