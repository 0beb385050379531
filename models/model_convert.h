/* Numbers in text, for strtol and scanf. */
#ifndef HEDDLE_MODELS_CONVERT_H
#define HEDDLE_MODELS_CONVERT_H

#include "model.h"

enum { M_BINARY = 1 }; /* 0b is a prefix, as C23 has it */

/* strtol and strtoul (as bits of the result), errno included. */
long __m_strtol(const char *s, char **end, int base, int flags);
unsigned long __m_strtoul(const char *s, char **end, int base, int flags);

M_INLINE bool m_space(int c)
{
	return (c == ' ') | ((unsigned)c - '\t' < 5); /* without a branch, which would fork */
}

#endif
