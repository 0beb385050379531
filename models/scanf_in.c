/* The scanf family under its three sets of names: before C99, C99, C23. */
#include "model_scanf.h"

extern FILE *stdin;

#define FORWARD(call) \
	va_list ap; \
	int r; \
	va_start(ap, format); \
	r = call; \
	va_end(ap); \
	return r

#define FAMILY(prefix, mode) \
	int prefix##scanf(const char *restrict format, ...) \
	{ \
		FORWARD(__m_vfscanf(stdin, format, ap, mode)); \
	} \
	int prefix##fscanf(FILE *restrict fp, const char *restrict format, ...) \
	{ \
		FORWARD(__m_vfscanf(fp, format, ap, mode)); \
	} \
	int prefix##sscanf(const char *restrict s, const char *restrict format, ...) \
	{ \
		FORWARD(__m_vsscanf(s, format, ap, mode)); \
	} \
	int prefix##vscanf(const char *restrict format, va_list ap) \
	{ \
		return __m_vfscanf(stdin, format, ap, mode); \
	} \
	int prefix##vfscanf(FILE *restrict fp, const char *restrict format, va_list ap) \
	{ \
		return __m_vfscanf(fp, format, ap, mode); \
	} \
	int prefix##vsscanf(const char *restrict s, const char *restrict format, va_list ap) \
	{ \
		return __m_vsscanf(s, format, ap, mode); \
	}

FAMILY(, M_SCANF_GNU_A)
FAMILY(__isoc99_, 0)
FAMILY(__isoc23_, M_SCANF_C23)
