/* <string.h> on counted bytes, except the three in memops.c; bzero and friends of <strings.h>. */
#include "model.h"
#include <string.h>
#include <strings.h>

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}
M_ALIAS(bcmp, memcmp);
M_ALIAS(__memcmpeq, memcmp);

void *memchr(const void *s, int c, size_t n)
{
	const unsigned char *p = s;

	for (; n; n--, p++)
		if (*p == (unsigned char)c)
			return (void *)p;
	return NULL;
}

void *memrchr(const void *s, int c, size_t n)
{
	const unsigned char *p = (const unsigned char *)s + n;

	while (n--)
		if (*--p == (unsigned char)c)
			return (void *)p;
	return NULL;
}
M_ALIAS(__memrchr, memrchr);

void *rawmemchr(const void *s, int c)
{
	const unsigned char *p = s;

	while (*p != (unsigned char)c)
		p++;
	return (void *)p;
}
extern void *__rawmemchr(const void *, int) __attribute__((alias("rawmemchr")));

void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
	__builtin_memcpy(to, from, n);
	return (char *)to + n;
}
M_ALIAS(__mempcpy, mempcpy);

void *memccpy(void *restrict to, const void *restrict from, int c, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	for (; n; n--) {
		*d = *s++;
		if (*d++ == (unsigned char)c)
			return d;
	}
	return NULL;
}

void *memmem(const void *hay, size_t nhay, const void *needle, size_t n)
{
	const unsigned char *h = hay, *w = needle;

	if (!n)
		return (void *)h;
	for (; nhay >= n; nhay--, h++)
		if (*h == *w && memcmp(h, w, n) == 0)
			return (void *)h;
	return NULL;
}

void *memfrob(void *s, size_t n)
{
	unsigned char *p = s;

	for (; n; n--)
		*p++ ^= 42;
	return s;
}

void bcopy(const void *from, void *to, size_t n)
{
	__builtin_memmove(to, from, n);
}

void bzero(void *s, size_t n)
{
	__builtin_memset(s, 0, n);
}
M_ALIAS(explicit_bzero, bzero);
extern void __bzero(void *, size_t) __attribute__((alias("bzero")));

void swab(const void *restrict from, void *restrict to, ssize_t n)
{
	const char *s = from;
	char *d = to;

	for (ssize_t i = 0; i + 1 < n; i += 2) {
		char c = s[i];
		d[i] = s[i + 1];
		d[i + 1] = c;
	}
}

int ffs(int i)
{
	return __builtin_ffs(i);
}

int ffsl(long i)
{
	return __builtin_ffsl(i);
}

int ffsll(long long i)
{
	return __builtin_ffsll(i);
}
