/*
 * Shared by the parts of the scanf engine: scanf.c walks the format and reads text, scanf_number.c
 * reads numbers.
 */
#ifndef HEDDLE_MODELS_SCAN_H
#define HEDDLE_MODELS_SCAN_H

#include "model_convert.h"
#include "model_scanf.h"

#define END (-1)

enum outcome { MATCHED, NO_MATCH, NO_INPUT, BAD_ENCODING, NO_MEMORY };

enum {
	SUPPRESS = 1 << 0,
	ALLOCATE = 1 << 1,
	GROUP = 1 << 2,
	POINTER = 1 << 3,
	UNSIGNED = 1 << 4,
};
enum length { LEN_NONE, LEN_CHAR, LEN_SHORT, LEN_LONG, LEN_LLONG, LEN_LDOUBLE };

struct scan {
	FILE *fp;      /* input stream; NULL: input is s */
	const char *s; /* the rest of the input string */
	int c;         /* last character read; after END no more is read */
	int end_errno; /* errno at END */
	long taken;    /* number of characters consumed */
	int done;      /* number of assignments */
	va_list ap, first;
	struct m_strbuf { /* text of a number */
		char *p, local[64];
		size_t n, size;
	} text;
	struct owned { /* results of %m, freed if input ends before the first assignment is complete
			*/
		char **p;
		struct owned *next;
	} *owned;
};

struct spec {
	int flags;
	enum length length;
	int width; /* -1: none */
	int arg;   /* %n$ */
	char conv;
};

/* ---- characters -------------------------------------------------------------------------- */

M_INLINE int get(struct scan *in)
{
	if (in->c == END) {
		errno = in->end_errno;
		return END;
	}
	if (in->fp)
		in->c = m_getc(in->fp);
	else
		in->c = *in->s ? (unsigned char)*in->s++ : END;
	if (in->c == END)
		in->end_errno = errno;
	else
		in->taken++;
	return in->c;
}

M_INLINE void unget(struct scan *in, int c)
{
	if (c == END)
		return;
	if (in->fp)
		__m_ungetc(in->fp, c);
	else
		in->s--;
	in->taken--;
}

/* without branches: on symbolic input each branch adds a path */
M_INLINE int lower(int c)
{
	return c + (((unsigned)c - 'A' < 26) << 5);
}

M_INLINE bool is_digit(int c)
{
	return (unsigned)c - '0' < 10;
}

M_INLINE bool is_hex(int c)
{
	return (int)is_digit(c) | ((unsigned)lower(c) - 'a' < 6);
}

/* ---- shared between the two -------------------------------------------------------------- */

/* The pointer that a conversion assigns through. */
void *__m_scan_argument(struct scan *in, const struct spec *s);
/* Assigns v in the type that s->length gives. */
void __m_scan_store(struct scan *in, const struct spec *s, long v);
enum outcome __m_scan_integer(struct scan *in, const struct spec *s, int base, unsigned mode);
enum outcome __m_scan_float(struct scan *in, const struct spec *s);

#endif
