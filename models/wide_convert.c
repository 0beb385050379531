/*
 * Wide text to numbers: the leading ASCII characters are converted to bytes and parsed as bytes.
 * <wchar.h> is not included, newer ones redirect these names.
 */
#include "model_convert.h"

/* The front of s that is ASCII, as a string of its own; freed by the caller. */
static char *front(const wchar_t *s)
{
	size_t n = 0;
	char *p;

	while (s[n] > 0 && s[n] < 0x80)
		n++;
	p = __heddle_alloc(n + 1, 1, false);
	for (size_t i = 0; i < n; i++)
		p[i] = (char)s[i];
	p[n] = '\0';
	return p;
}

#define INTEGER(type, name, parser, flags) \
	type name(const wchar_t *restrict s, wchar_t **restrict end, int base) \
	{ \
		char *bytes = front(s), *stop = bytes; \
		type v = (type)parser(bytes, &stop, base, flags); \
		if (end) \
			*end = (wchar_t *)s + (stop - bytes); \
		__heddle_free(bytes); \
		return v; \
	}

#define FLOATING(type, name, parser) \
	type name(const wchar_t *restrict s, wchar_t **restrict end) \
	{ \
		char *bytes = front(s); \
		type v = 0; \
		int range = 0; \
		size_t n = parser(bytes, &v, &range); \
		if (end) \
			*end = (wchar_t *)s + n; \
		if (range) \
			errno = ERANGE; \
		__heddle_free(bytes); \
		return v; \
	}

INTEGER(long, wcstol, __m_strtol, 0)
INTEGER(unsigned long, wcstoul, __m_strtoul, 0)
INTEGER(long long, wcstoll, __m_strtol, 0)
INTEGER(unsigned long long, wcstoull, __m_strtoul, 0)
INTEGER(intmax_t, wcstoimax, __m_strtol, 0)
INTEGER(uintmax_t, wcstoumax, __m_strtoul, 0)
INTEGER(long, __isoc23_wcstol, __m_strtol, M_BINARY)
INTEGER(unsigned long, __isoc23_wcstoul, __m_strtoul, M_BINARY)
INTEGER(long long, __isoc23_wcstoll, __m_strtol, M_BINARY)
INTEGER(unsigned long long, __isoc23_wcstoull, __m_strtoul, M_BINARY)
INTEGER(intmax_t, __isoc23_wcstoimax, __m_strtol, M_BINARY)
INTEGER(uintmax_t, __isoc23_wcstoumax, __m_strtoul, M_BINARY)
FLOATING(float, wcstof, __heddle_parse_float)
FLOATING(double, wcstod, __heddle_parse_double)
FLOATING(long double, wcstold, __heddle_parse_ldouble)
