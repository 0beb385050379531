#include <libgen.h>
#include <locale.h>
#include <regex.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "cases.h"
#include "watch.h"

/* the strerror_r of POSIX */
int __xpg_strerror_r(int error, char *buf, size_t n);

static void memory(void)
{
	size_t n = rng_below(&rng, 100);
	char *a = room(100), *b = room(100), *c = room(300);
	int byte = rng_below(&rng, 256);

	CALL(memcpy, U(memcpy(a, b, n)), U(a), U(b), n);
	CALL(memmove, U(memmove(c + 20, c, n)), U(c + 20), U(c), n);
	CALL(mempcpy, U(mempcpy(a, c, n)), U(a), U(c), n);
	CALL(memccpy, U(memccpy(a, c, byte, 100)), U(a), U(c), byte, 100);
	CALL(memset, U(memset(b, byte, n)), U(b), byte, n);
	CALL(bzero, (bzero(a, n), 0), U(a), n);
	CALL(bcopy, (bcopy(c, c + 3, n), 0), U(c), U(c + 3), n);
	CALL(explicit_bzero, (explicit_bzero(c, n), 0), U(c), n);
	CALL(memfrob, U(memfrob(b, n)), U(b), n);
	CALL(swab, (swab(b, a, n & ~1u), 0), U(b), U(a), n & ~1u);
	CALL(memchr, U(memchr(a, byte, 100)), U(a), byte, 100);
	CALL(memcmp, memcmp(a, b, n), U(a), U(b), n);
}

static void strings(void)
{
	char *s = text(60), *to = room(300), *t = text(30);
	size_t n = rng_below(&rng, 70);

	CALL(strcpy, U(strcpy(to, s)), U(to), U(s));
	expect_write(to, strlen(s) + 1);
	expect_read(s, strlen(s) + 1);
	CALL(strcat, U(strcat(to, t)), U(to), U(t));
	CALL(strncat, U(strncat(to, s, n)), U(to), U(s), n);
	CALL(stpcpy, U(stpcpy(to, t)), U(to), U(t));
	CALL(strncpy, U(strncpy(to, s, n)), U(to), U(s), n);
	CALL(stpncpy, U(stpncpy(to, t, n)), U(to), U(t), n);
	CALL(strxfrm, strxfrm(to, s, n), U(to), U(s), n);
	CALL(strerror_r, U(strerror_r(n, to, 20)), n, U(to), 20);
	CALL(strerror_r, U(strerror_r(77777, to, n)), 77777, U(to), n);
	CALL(__xpg_strerror_r, __xpg_strerror_r(n, to, n), n, U(to), n);
	to = (char *)CALL(strdup, U(strdup(s)), U(s));
	expect_write(to, strlen(s) + 1);
	free(to);
	to = (char *)CALL(strndup, U(strndup(s, n)), U(s), n);
	expect_write(to, strlen(to) + 1);
	free(to);
}

static void tokens(void)
{
	char *s = text(60), *d = copy(" ,;"), **save = room(8), *r;

	for (r = s; r; s = NULL)
		r = (char *)CALL(strtok_r, U(strtok_r(s, d, save)), U(s), U(d), U(save));
	s = text(60);
	for (r = s; r; s = NULL)
		r = (char *)CALL(strtok, U(strtok(s, d)), U(s), U(d));
	*save = text(60);
	while (*save)
		CALL(strsep, U(strsep(save, d)), U(save), U(d));
	s = text(40);
	CALL(dirname, U(dirname(s)), U(s));
	s = text(40);
	CALL(__xpg_basename, U(__xpg_basename(s)), U(s));
	s = copy("usr/lib//");
	CALL(__xpg_basename, U(__xpg_basename(s)), U(s));
}

static void wide(void)
{
	wchar_t *w = room(400), *w2 = room(400), *wc = room(4);
	char *s = copy("gr\xc3\xbc\xc3\x9f"
		       "e, etc"),
	     *to = room(100),
	     *bad = copy("ab\xff"
			 "cd");
	size_t n = rng_below(&rng, 16);
	mbstate_t *ps = memset(room(sizeof(mbstate_t)), 0, sizeof(mbstate_t));

	CALL(mbstowcs, mbstowcs(w, s, n), U(w), U(s), n);
	CALL(mbstowcs, mbstowcs(w, bad, 50), U(w), U(bad), 50);
	CALL(mbstowcs, mbstowcs(w, s, 100), U(w), U(s), 100);
	CALL(wcscpy, U(wcscpy(w2, w)), U(w2), U(w));
	CALL(wcscat, U(wcscat(w2, w)), U(w2), U(w));
	CALL(wcsncpy, U(wcsncpy(w2, w, n)), U(w2), U(w), n);
	CALL(wcstombs, wcstombs(to, w, n), U(to), U(w), n);
	CALL(wcstombs, wcstombs(to, w, 100), U(to), U(w), 100);
	CALL(mbtowc, mbtowc(wc, s + 2, 6), U(wc), U(s + 2), 6);
	CALL(wctomb, wctomb(to, 0xfc), U(to), 0xfc);
	CALL(mbrtowc, mbrtowc(wc, s + 2, n & 3, ps), U(wc), U(s + 2), n & 3, U(ps));
	memset(ps, 0, sizeof(*ps));
	CALL(wcrtomb, wcrtomb(to, 0x20ac, ps), U(to), 0x20ac, U(ps));
	CALL(mbrlen, mbrlen(s + 2, 1, ps), U(s + 2), 1, U(ps));
	w2 = (wchar_t *)CALL(wcsdup, U(wcsdup(w)), U(w));
	expect_write(w2, (wcslen(w) + 1) * 4);
	free(w2);
	CALL(swprintf, swprintf(w, n, L"%d-%s", 4711, s), U(w), n, U(L"%d-%s"), 4711, U(s));
}

static int by_byte(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int by_byte_r(const void *a, const void *b, void *ctx)
{
	return ctx ? by_byte(a, b) : 0;
}

static void sorting(void)
{
	size_t n = rng_below(&rng, 40), size = 1 + rng_below(&rng, 12), *count = room(8);
	char *a = room(500), *key = room(12);

	CALL(qsort, (qsort(a, n, size, by_byte), 0), U(a), n, size, U(by_byte));
	stir(a, 500);
	CALL(qsort_r, (qsort_r(a, n, size, by_byte_r, a), 0), U(a), n, size, U(by_byte_r), U(a));
	CALL(bsearch, U(bsearch(key, a, n, size, by_byte)), U(key), U(a), n, size, U(by_byte));
	*count = n;
	CALL(lfind, U(lfind(key, a, count, size, by_byte)), U(key), U(a), U(count), size,
		U(by_byte));
	CALL(lsearch, U(lsearch(key, a, count, size, by_byte)), U(key), U(a), U(count), size,
		U(by_byte));
}

static void expressions(void)
{
	regex_t *re = room(sizeof(regex_t));
	regmatch_t *m = room(4 * sizeof(regmatch_t));
	char *s = text(60), *p = copy("([a-m]+)([n-z]*)"), *bad = copy("(["), *to = room(40);
	int r;

	CALL(regcomp, regcomp(re, p, REG_EXTENDED), U(re), U(p), REG_EXTENDED);
	CALL(regexec, regexec(re, s, 4, m, 0), U(re), U(s), 4, U(m), 0);
	CALL(regfree, (regfree(re), 0), U(re));
	r = (int)CALL(regcomp, regcomp(re, bad, 0), U(re), U(bad), 0);
	CALL(regerror, regerror(r, re, to, 12), r, U(re), U(to), 12);
}

void cases_text(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	memory();
	strings();
	tokens();
	wide();
	sorting();
	expressions();
}
