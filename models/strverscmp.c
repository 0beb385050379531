/*
 * strverscmp: like strcmp, but runs of digits compare as whole numbers, and those that begin with
 * a zero as fractions: 000 < 00 < 01 < 010 < 09 < 0 < 1 < 9 < 10.
 */
#include "model.h"
#include <string.h>

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* Whole numbers whose common front is gone: the one with more digits left is larger. */
static int by_length(const unsigned char *a, const unsigned char *b)
{
	int difference = *a - *b;

	while (is_digit(*a) && is_digit(*b)) {
		a++;
		b++;
	}
	return is_digit(*a) ? 1 : is_digit(*b) ? -1 : difference;
}

int __strverscmp(const char *s, const char *t)
{
	const unsigned char *a = (const unsigned char *)s, *b = (const unsigned char *)t;
	const unsigned char *run = a; /* start of the digits before the first difference */
	bool digit_a, digit_b;

	for (; *a == *b; a++, b++) {
		if (!*a)
			return 0;
		if (!is_digit(*a))
			run = a + 1;
	}
	digit_a = is_digit(*a);
	digit_b = is_digit(*b);
	if (run == a)
		return digit_a && digit_b && *a != '0' && *b != '0' ? by_length(a, b) : *a - *b;
	if (*run != '0') {
		if (digit_a && digit_b)
			return by_length(a, b);
		return digit_a ? 1 : digit_b ? -1 : *a - *b;
	}
	while (run < a && *run == '0')
		run++;
	if (run < a || digit_a == digit_b)
		return *a - *b;
	return digit_a ? -1 : 1;
}
M_ALIAS(strverscmp, __strverscmp);
