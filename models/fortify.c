/* The functions that _FORTIFY_SOURCE calls for memory and strings: they check the object's size
 * first. */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

_Noreturn void __chk_fail(void);

static void check(size_t need, size_t have)
{
	if (need > have)
		__chk_fail();
}

/* ---- bytes ------------------------------------------------------------------------------- */

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t size)
{
	check(n, size);
	__builtin_memcpy(to, from, n);
	return to;
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t size)
{
	check(n, size);
	__builtin_memmove(to, from, n);
	return to;
}

void *__memset_chk(void *to, int c, size_t n, size_t size)
{
	check(n, size);
	__builtin_memset(to, c, n);
	return to;
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t size)
{
	check(n, size);
	__builtin_memcpy(to, from, n);
	return (char *)to + n;
}

void __explicit_bzero_chk(void *to, size_t n, size_t size)
{
	check(n, size);
	__builtin_memset(to, 0, n);
}

/* ---- strings ----------------------------------------------------------------------------- */

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t size)
{
	size_t n = strlen(from);

	check(n + 1, size);
	__builtin_memcpy(to, from, n + 1);
	return to + n;
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t size)
{
	__stpcpy_chk(to, from, size);
	return to;
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t size)
{
	check(n, size);
	return strncpy(to, from, n);
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t size)
{
	check(n, size);
	return __stpncpy(to, from, n);
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t size)
{
	size_t n = strlen(to), m = strlen(from);

	check(n + m + 1, size);
	__builtin_memcpy(to + n, from, m + 1);
	return to;
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t limit, size_t size)
{
	size_t n = strlen(to), m = 0;

	while (m < limit && from[m])
		m++;
	check(n + m + 1, size);
	__builtin_memcpy(to + n, from, m);
	to[n + m] = '\0';
	return to;
}

size_t __strlcpy_chk(char *restrict to, const char *restrict from, size_t n, size_t size)
{
	extern size_t __strlcpy(char *, const char *, size_t);

	check(n, size);
	return __strlcpy(to, from, n);
}

size_t __strlcat_chk(char *restrict to, const char *restrict from, size_t n, size_t size)
{
	extern size_t __strlcpy(char *, const char *, size_t);
	size_t k = 0;

	check(n, size);
	while (k < n && to[k])
		k++;
	return k == n ? n + strlen(from) : k + __strlcpy(to + k, from, n - k);
}

/* ---- wide strings ------------------------------------------------------------------------ */

wchar_t *__wmemcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t n, size_t size)
{
	check(n, size);
	return wmemcpy(to, from, n);
}

wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size)
{
	check(n, size);
	return wmemmove(to, from, n);
}

wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t size)
{
	check(n, size);
	return wmemset(to, c, n);
}

wchar_t *__wmempcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t n, size_t size)
{
	check(n, size);
	return wmemcpy(to, from, n) + n;
}

wchar_t *__wcscpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
	check(wcslen(from) + 1, size);
	return wcscpy(to, from);
}

wchar_t *__wcpcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
	size_t n = wcslen(from);

	check(n + 1, size);
	wcscpy(to, from);
	return to + n;
}

wchar_t *__wcsncpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t n, size_t size)
{
	check(n, size);
	return wcsncpy(to, from, n);
}

wchar_t *__wcscat_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
	check(wcslen(to) + wcslen(from) + 1, size);
	return wcscat(to, from);
}

wchar_t *__wcsncat_chk(
	wchar_t *restrict to, const wchar_t *restrict from, size_t limit, size_t size)
{
	size_t m = 0;

	while (m < limit && from[m])
		m++;
	check(wcslen(to) + m + 1, size);
	return wcsncat(to, from, limit);
}

size_t __mbstowcs_chk(wchar_t *restrict to, const char *restrict from, size_t n, size_t size)
{
	check(n, size);
	return mbstowcs(to, from, n);
}

size_t __wcstombs_chk(char *restrict to, const wchar_t *restrict from, size_t n, size_t size)
{
	check(n, size);
	return wcstombs(to, from, n);
}

size_t __mbsrtowcs_chk(wchar_t *restrict to, const char **restrict from, size_t n,
	mbstate_t *restrict state, size_t size)
{
	check(n, size);
	return mbsrtowcs(to, from, n, state);
}

size_t __wcsrtombs_chk(char *restrict to, const wchar_t **restrict from, size_t n,
	mbstate_t *restrict state, size_t size)
{
	check(n, size);
	return wcsrtombs(to, from, n, state);
}

size_t __wcrtomb_chk(char *restrict to, wchar_t c, mbstate_t *restrict state, size_t size)
{
	check(1, size);
	return wcrtomb(to, c, state);
}

int __wctomb_chk(char *to, wchar_t c, size_t size)
{
	check(1, size);
	return wctomb(to, c);
}
