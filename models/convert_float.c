/* Text to floating point and back: strtod and all its names, by the machine's exact parser. */
#include "model.h"
#include <bits/types/locale_t.h>

#define FLOATING(type, name, parser) \
	type name(const char *restrict s, char **restrict end) \
	{ \
		type value = 0; \
		int range = 0; \
		size_t n = parser(s, &value, &range); \
		if (end) \
			*end = (char *)s + n; \
		if (range) \
			errno = ERANGE; \
		return value; \
	} \
	type name##_l(const char *restrict s, char **restrict end, locale_t l) \
	{ \
		(void)l; \
		return name(s, end); \
	} \
	type __##name##_internal(const char *restrict s, char **restrict end, int group) \
	{ \
		(void)group; \
		return name(s, end); \
	}

FLOATING(float, strtof, __heddle_parse_float)
FLOATING(double, strtod, __heddle_parse_double)
FLOATING(long double, strtold, __heddle_parse_ldouble)
M_ALIAS(strtof32, strtof);
M_ALIAS(strtof64, strtod);
M_ALIAS(strtof32x, strtod);
M_ALIAS(strtof64x, strtold);

double atof(const char *s)
{
	return strtod(s, NULL);
}

/* "%[.precision]conversion" and nothing else, else the result of printing is undefined. */
static void check(const char *format)
{
	const char *f = format;

	if (*f++ == '%') {
		if (*f == '.')
			for (f++; *f >= '0' && *f <= '9'; f++)
				;
		if (*f && __builtin_strchr("aAeEfFgG", *f) && !f[1])
			return;
	}
	__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT, "strfrom: bad format", (void *)format);
}

int strfromd(char *restrict buf, size_t n, const char *restrict format, double x)
{
	check(format);
	return __heddle_format_double(buf, n, format, x);
}

int strfromf(char *restrict buf, size_t n, const char *restrict format, float x)
{
	check(format);
	return __heddle_format_double(buf, n, format, x);
}

int strfroml(char *restrict buf, size_t n, const char *restrict format, long double x)
{
	check(format);
	return __heddle_format_ldouble(buf, n, format, &x);
}
