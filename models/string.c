/* <string.h> on NUL-terminated strings: length, copy, compare, find. */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- length and copy --------------------------------------------------------------------- */

size_t strlen(const char *s)
{
	const char *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}

size_t __strnlen(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i])
		i++;
	return i;
}
M_ALIAS(strnlen, __strnlen);

char *strcpy(char *restrict to, const char *restrict from)
{
	__builtin_memcpy(to, from, strlen(from) + 1);
	return to;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
	size_t n = strlen(from);

	__builtin_memcpy(to, from, n + 1);
	return to + n;
}
M_ALIAS(__stpcpy, stpcpy);

char *__stpncpy(char *restrict to, const char *restrict from, size_t n)
{
	size_t k = __strnlen(from, n);

	__builtin_memcpy(to, from, k);
	__builtin_memset(to + k, 0, n - k);
	return to + k;
}
M_ALIAS(stpncpy, __stpncpy);

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
	__stpncpy(to, from, n);
	return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
	strcpy(to + strlen(to), from);
	return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t n)
{
	size_t k = __strnlen(from, n);
	char *end = to + strlen(to);

	__builtin_memcpy(end, from, k);
	end[k] = '\0';
	return to;
}

size_t __strlcpy(char *restrict to, const char *restrict from, size_t n)
{
	size_t len = strlen(from);

	if (n) {
		size_t k = len < n ? len : n - 1;
		__builtin_memcpy(to, from, k);
		to[k] = '\0';
	}
	return len;
}
M_ALIAS(strlcpy, __strlcpy);

size_t strlcat(char *restrict to, const char *restrict from, size_t n)
{
	size_t k = __strnlen(to, n);

	if (k == n)
		return n + strlen(from);
	return k + __strlcpy(to + k, from, n - k);
}

char *strdup(const char *s)
{
	size_t n = __heddle_known(strlen(s)) + 1;
	char *p = malloc(n);

	if (p)
		__builtin_memcpy(p, s, n);
	return p;
}
M_ALIAS(__strdup, strdup);

char *strndup(const char *s, size_t n)
{
	size_t k = __heddle_known(__strnlen(s, n));
	char *p = malloc(k + 1);

	if (!p)
		return NULL;
	__builtin_memcpy(p, s, k);
	p[k] = '\0';
	return p;
}
M_ALIAS(__strndup, strndup);

/* ---- compare ----------------------------------------------------------------------------- */

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return (unsigned char)*a - (unsigned char)*b;
}
/* the C locale collates by bytes */
M_ALIAS(strcoll, strcmp);

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--, a++)
		b++;
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

M_INLINE int lower(char c)
{
	unsigned char u = (unsigned char)c;

	return u + (((unsigned)u - 'A' < 26) << 5);
}

int __strcasecmp(const char *a, const char *b)
{
	for (; *a && lower(*a) == lower(*b); a++)
		b++;
	return lower(*a) - lower(*b);
}
M_ALIAS(strcasecmp, __strcasecmp);

int strncasecmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && lower(*a) == lower(*b); n--, a++)
		b++;
	return n ? lower(*a) - lower(*b) : 0;
}

int strcasecmp_l(const char *a, const char *b, locale_t l)
{
	(void)l;
	return __strcasecmp(a, b);
}

int strncasecmp_l(const char *a, const char *b, size_t n, locale_t l)
{
	(void)l;
	for (; n && *a && lower(*a) == lower(*b); n--, a++)
		b++;
	return n ? lower(*a) - lower(*b) : 0;
}

int strcoll_l(const char *a, const char *b, locale_t l)
{
	(void)l;
	return strcmp(a, b);
}

size_t strxfrm(char *restrict to, const char *restrict from, size_t n)
{
	size_t len = strlen(from);

	if (n)
		__stpncpy(to, from, len < n ? len + 1 : n);
	return len;
}

size_t strxfrm_l(char *restrict to, const char *restrict from, size_t n, locale_t l)
{
	(void)l;
	return strxfrm(to, from, n);
}

/* ---- find -------------------------------------------------------------------------------- */

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}
M_ALIAS(index, strchr);

char *strchrnul(const char *s, int c)
{
	while (*s && *s != (char)c)
		s++;
	return (char *)s;
}
extern char *__strchrnul(const char *, int) __attribute__((alias("strchrnul")));

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	do {
		if (*s == (char)c)
			found = s;
	} while (*s++);
	return (char *)found;
}
M_ALIAS(rindex, strrchr);

size_t strspn(const char *s, const char *accept)
{
	const char *p = s;

	while (*p && strchr(accept, *p))
		p++;
	return (size_t)(p - s);
}

size_t strcspn(const char *s, const char *reject)
{
	const char *p = s;

	while (*p && !strchr(reject, *p))
		p++;
	return (size_t)(p - s);
}

char *strpbrk(const char *s, const char *accept)
{
	s += strcspn(s, accept);
	return *s ? (char *)s : NULL;
}

char *strstr(const char *hay, const char *needle)
{
	size_t n = strlen(needle);

	if (!n)
		return (char *)hay;
	for (; *hay; hay++)
		if (*hay == *needle && strncmp(hay, needle, n) == 0)
			return (char *)hay;
	return NULL;
}

char *strcasestr(const char *hay, const char *needle)
{
	for (;; hay++) {
		size_t i = 0;
		while (needle[i] && lower(hay[i]) == lower(needle[i]))
			i++;
		if (!needle[i])
			return (char *)hay;
		if (!*hay)
			return NULL;
	}
}

/* ---- split ------------------------------------------------------------------------------- */

char *__strtok_r(char *restrict s, const char *restrict delim, char **restrict save)
{
	char *end;

	if (!s)
		s = *save;
	s += strspn(s, delim);
	if (!*s) {
		*save = s;
		return NULL;
	}
	end = s + strcspn(s, delim);
	if (*end)
		*end++ = '\0';
	*save = end;
	return s;
}
M_ALIAS(strtok_r, __strtok_r);

char *strtok(char *restrict s, const char *restrict delim)
{
	static char *save;

	__heddle_order(&save, true);
	return __strtok_r(s, delim, &save);
}

char *strsep(char **restrict sp, const char *restrict delim)
{
	char *s = *sp, *end;

	if (!s)
		return NULL;
	end = s + strcspn(s, delim);
	if (*end) {
		*end++ = '\0';
		*sp = end;
	} else {
		*sp = NULL;
	}
	return s;
}
extern char *__strsep(char **, const char *) __attribute__((alias("strsep")));
