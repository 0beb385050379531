/* The scanf engine. */
#ifndef HEDDLE_MODELS_SCANF_H
#define HEDDLE_MODELS_SCANF_H

#include <stdarg.h>
#include "model_stdio.h"

enum {
	M_SCANF_GNU_A = 1 << 0, /* %as allocates, as before C99 */
	M_SCANF_C23 = 1 << 1,   /* 0b is a prefix of %i, and %b a conversion */
};

/* Number of assignments, or EOF. */
int __m_vfscanf(FILE *fp, const char *format, va_list ap, unsigned mode);
int __m_vsscanf(const char *s, const char *format, va_list ap, unsigned mode);

#endif
