/* Integer arithmetic of <stdlib.h> and <inttypes.h>. */
#include "model.h"
#include <inttypes.h>
#include <stdlib.h>

int abs(int n)
{
	return n < 0 ? (int)-(unsigned)n : n;
}

long labs(long n)
{
	return n < 0 ? (long)-(unsigned long)n : n;
}

long long llabs(long long n)
{
	return n < 0 ? (long long)-(unsigned long long)n : n;
}

intmax_t imaxabs(intmax_t n)
{
	return n < 0 ? (intmax_t)-(uintmax_t)n : n;
}

div_t div(int a, int b)
{
	return (div_t){a / b, a % b};
}

ldiv_t ldiv(long a, long b)
{
	return (ldiv_t){a / b, a % b};
}

lldiv_t lldiv(long long a, long long b)
{
	return (lldiv_t){a / b, a % b};
}

imaxdiv_t imaxdiv(intmax_t a, intmax_t b)
{
	return (imaxdiv_t){a / b, a % b};
}

/* ---- radix 64 ---------------------------------------------------------------------------- */

static const char digits64[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

char *l64a(long n)
{
	static char buf[7];
	uint32_t u = (uint32_t)n;
	int i = 0;

	for (; u; u >>= 6)
		buf[i++] = digits64[u & 63];
	buf[i] = '\0';
	return buf;
}

long a64l(const char *s)
{
	uint32_t v = 0;

	for (int i = 0; i < 6 && s[i]; i++) {
		uint32_t d = 0;
		while (d < 64 && digits64[d] != s[i])
			d++;
		if (d == 64)
			break;
		v |= d << (6 * i);
	}
	return v;
}
