/* Wide strings: <wchar.h> without input and output. */
#include "model.h"
#include <stdlib.h>
#include <wchar.h>

/* ---- length and copy --------------------------------------------------------------------- */

size_t wcslen(const wchar_t *s)
{
	const wchar_t *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}

size_t __wcsnlen(const wchar_t *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i])
		i++;
	return i;
}
M_ALIAS(wcsnlen, __wcsnlen);

wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	__builtin_memcpy(to, from, n * sizeof *to);
	return to;
}

wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	__builtin_memcpy(to, from, n * sizeof *to);
	return to + n;
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
	__builtin_memmove(to, from, n * sizeof *to);
	return to;
}

wchar_t *wmemset(wchar_t *s, wchar_t c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s[i] = c;
	return s;
}

wchar_t *wcpcpy(wchar_t *restrict to, const wchar_t *restrict from)
{
	size_t n = wcslen(from);

	wmemcpy(to, from, n + 1);
	return to + n;
}

wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
	return wmemcpy(to, from, wcslen(from) + 1);
}

wchar_t *wcpncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	size_t k = __wcsnlen(from, n);

	wmemcpy(to, from, k);
	wmemset(to + k, 0, n - k);
	return to + k;
}

wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	size_t k = __wcsnlen(from, n);

	wmemcpy(to, from, k);
	wmemset(to + k, 0, n - k);
	return to;
}

wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
	wcscpy(to + wcslen(to), from);
	return to;
}

wchar_t *wcsncat(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	size_t k = __wcsnlen(from, n);
	wchar_t *end = to + wcslen(to);

	wmemcpy(end, from, k);
	end[k] = 0;
	return to;
}

wchar_t *wcsdup(const wchar_t *s)
{
	size_t n = wcslen(s) + 1;
	wchar_t *p = malloc(n * sizeof *p);

	return p ? wmemcpy(p, s, n) : NULL;
}

/* ---- compare ----------------------------------------------------------------------------- */

static int order(wchar_t a, wchar_t b)
{
	return a < b ? -1 : a > b;
}

int wcscmp(const wchar_t *a, const wchar_t *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return order(*a, *b);
}
M_ALIAS(wcscoll, wcscmp);

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	for (; n && *a && *a == *b; n--, a++)
		b++;
	return n ? order(*a, *b) : 0;
}

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b)
			return order(*a, *b);
	return 0;
}

static wchar_t lower(wchar_t c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int wcscasecmp(const wchar_t *a, const wchar_t *b)
{
	for (; *a && lower(*a) == lower(*b); a++)
		b++;
	return lower(*a) - lower(*b);
}

int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	for (; n && *a && lower(*a) == lower(*b); n--, a++)
		b++;
	return n ? lower(*a) - lower(*b) : 0;
}

size_t wcsxfrm(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	size_t len = wcslen(from);

	if (n)
		wcsncpy(to, from, len < n ? len + 1 : n);
	return len;
}

/* ---- find -------------------------------------------------------------------------------- */

wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
	for (; *s != c; s++)
		if (!*s)
			return NULL;
	return (wchar_t *)s;
}

wchar_t *wcschrnul(const wchar_t *s, wchar_t c)
{
	while (*s && *s != c)
		s++;
	return (wchar_t *)s;
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
	const wchar_t *found = NULL;

	do {
		if (*s == c)
			found = s;
	} while (*s++);
	return (wchar_t *)found;
}

wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
	for (; n; n--, s++)
		if (*s == c)
			return (wchar_t *)s;
	return NULL;
}

size_t wcsspn(const wchar_t *s, const wchar_t *accept)
{
	const wchar_t *p = s;

	while (*p && wcschr(accept, *p))
		p++;
	return (size_t)(p - s);
}

size_t wcscspn(const wchar_t *s, const wchar_t *reject)
{
	const wchar_t *p = s;

	while (*p && !wcschr(reject, *p))
		p++;
	return (size_t)(p - s);
}

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *accept)
{
	s += wcscspn(s, accept);
	return *s ? (wchar_t *)s : NULL;
}

wchar_t *wcsstr(const wchar_t *hay, const wchar_t *needle)
{
	size_t n = wcslen(needle);

	for (;; hay++) {
		if (wcsncmp(hay, needle, n) == 0)
			return (wchar_t *)hay;
		if (!*hay)
			return NULL;
	}
}
M_ALIAS(wcswcs, wcsstr);

wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict delim, wchar_t **restrict save)
{
	wchar_t *end;

	if (!s) {
		s = *save;
		if (!s)
			return NULL;
	}
	s += wcsspn(s, delim);
	if (!*s) {
		*save = NULL;
		return NULL;
	}
	end = s + wcscspn(s, delim);
	if (*end) {
		*end = 0;
		*save = end + 1;
	} else {
		*save = NULL;
	}
	return s;
}

/* ---- columns ----------------------------------------------------------------------------- */

int wcwidth(wchar_t c)
{
	return c == 0 ? 0 : c >= ' ' && c < 0x7f ? 1 : -1;
}

int wcswidth(const wchar_t *s, size_t n)
{
	int total = 0;

	for (; n && *s; n--, s++) {
		if (*s < ' ' || *s >= 0x7f)
			return -1;
		total++;
	}
	return total;
}
