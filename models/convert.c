/*
 * Text to integers: strtol and all its names. <stdlib.h> and <inttypes.h> are not included: newer
 * ones redirect these names to the __isoc23_ variants, which also know 0b.
 */
#include "model_convert.h"
#include <bits/types/locale_t.h>

/* The value of a digit, or 99. */
M_INLINE int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return 99;
}

struct number {
	unsigned long magnitude;
	bool negative, overflow;
	const char *end; /* behind the number; the start if there is none */
};

/* Skips "0x" or "0b" where the base allows, if a digit follows; settles base 0. */
static const char *prefix(const char *s, int *base, int flags)
{
	if (s[0] == '0') {
		bool x = s[1] == 'x' || s[1] == 'X', b = s[1] == 'b' || s[1] == 'B';
		if (x && (*base == 0 || *base == 16) && digit(s[2]) < 16) {
			*base = 16;
			return s + 2;
		}
		if (b && flags & M_BINARY && (*base == 0 || *base == 2) && digit(s[2]) < 2) {
			*base = 2;
			return s + 2;
		}
		if (*base == 0)
			*base = 8;
	}
	if (*base == 0)
		*base = 10;
	return s;
}

static struct number parse(const char *start, int base, int flags)
{
	struct number n = {.end = start};
	const char *s = start, *digits;

	while (m_space((unsigned char)*s))
		s++;
	if (*s == '-' || *s == '+')
		n.negative = *s++ == '-';
	s = digits = prefix(s, &base, flags);
	for (int d; (d = digit(*s)) < base; s++)
		if (__builtin_mul_overflow(n.magnitude, (unsigned long)base, &n.magnitude) ||
			__builtin_add_overflow(n.magnitude, (unsigned long)d, &n.magnitude))
			n.overflow = true;
	if (s > digits)
		n.end = s;
	return n;
}

static bool bad_base(int base)
{
	if (base >= 0 && base != 1 && base <= 36)
		return false;
	errno = EINVAL;
	return true;
}

long __m_strtol(const char *s, char **end, int base, int flags)
{
	struct number n;

	if (bad_base(base))
		return 0;
	n = parse(s, base, flags);
	if (end)
		*end = (char *)n.end;
	if (n.overflow || n.magnitude > (unsigned long)LONG_MAX + n.negative) {
		errno = ERANGE;
		return n.negative ? LONG_MIN : LONG_MAX;
	}
	return n.negative ? (long)-n.magnitude : (long)n.magnitude;
}

unsigned long __m_strtoul(const char *s, char **end, int base, int flags)
{
	struct number n;

	if (bad_base(base))
		return 0;
	n = parse(s, base, flags);
	if (end)
		*end = (char *)n.end;
	if (n.overflow) {
		errno = ERANGE;
		return ULONG_MAX;
	}
	return n.negative ? -n.magnitude : n.magnitude;
}

#define INTEGER(type, name, parser)                                                                \
	type name(const char *restrict s, char **restrict end, int base)                           \
	{                                                                                          \
		return (type)parser(s, end, base, 0);                                              \
	}                                                                                          \
	type name##_l(const char *restrict s, char **restrict end, int base, locale_t l)           \
	{                                                                                          \
		(void)l;                                                                           \
		return (type)parser(s, end, base, 0);                                              \
	}                                                                                          \
	type __##name##_internal(const char *restrict s, char **restrict end, int base, int group) \
	{                                                                                          \
		(void)group;                                                                       \
		return (type)parser(s, end, base, 0);                                              \
	}                                                                                          \
	type __isoc23_##name(const char *restrict s, char **restrict end, int base)                \
	{                                                                                          \
		return (type)parser(s, end, base, M_BINARY);                                       \
	}                                                                                          \
	type __isoc23_##name##_l(                                                                  \
		const char *restrict s, char **restrict end, int base, locale_t l)                 \
	{                                                                                          \
		(void)l;                                                                           \
		return (type)parser(s, end, base, M_BINARY);                                       \
	}

INTEGER(long, strtol, __m_strtol)
INTEGER(unsigned long, strtoul, __m_strtoul)
INTEGER(long long, strtoll, __m_strtol)
INTEGER(unsigned long long, strtoull, __m_strtoul)
INTEGER(intmax_t, strtoimax, __m_strtol)
INTEGER(uintmax_t, strtoumax, __m_strtoul)
M_ALIAS(strtoq, strtoll);
M_ALIAS(strtouq, strtoull);

int atoi(const char *s)
{
	return (int)__m_strtol(s, NULL, 10, 0);
}

long atol(const char *s)
{
	return __m_strtol(s, NULL, 10, 0);
}

long long atoll(const char *s)
{
	return __m_strtol(s, NULL, 10, 0);
}
