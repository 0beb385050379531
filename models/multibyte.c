/*
 * Multibyte and wide characters in the C locale: ASCII, one byte each; anything else is EILSEQ.
 * There is no shift state, so mbstate_t is never read.
 */
#include "model.h"
#include <stdlib.h>
#include <uchar.h>
#include <wchar.h>

#define BAD       ((size_t)-1)
#define INCOMPLETE ((size_t)-2)

static size_t bad(void)
{
	errno = EILSEQ;
	return BAD;
}

/* ---- one character ----------------------------------------------------------------------- */

size_t mbrtowc(wchar_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state)
{
	(void)state;
	if (!s)
		return 0;
	if (!n)
		return INCOMPLETE;
	if ((unsigned char)*s > 0x7f)
		return bad();
	if (out)
		*out = *s;
	return *s != '\0';
}
M_ALIAS(__mbrtowc, mbrtowc);

size_t mbrlen(const char *restrict s, size_t n, mbstate_t *restrict state)
{
	return mbrtowc(NULL, s, n, state);
}
M_ALIAS(__mbrlen, mbrlen);

int mbtowc(wchar_t *restrict out, const char *restrict s, size_t n)
{
	size_t r;

	if (!s)
		return 0;
	r = mbrtowc(out, s, *s ? n : 1, NULL);
	return r == INCOMPLETE ? -1 : (int)r;
}

int mblen(const char *s, size_t n)
{
	size_t r;

	if (!s)
		return 0;
	r = mbrtowc(NULL, s, *s ? n : 1, NULL);
	return r == INCOMPLETE ? -1 : (int)r;
}

int mbsinit(const mbstate_t *state)
{
	return !state || state->__count == 0;
}

size_t wcrtomb(char *restrict out, wchar_t c, mbstate_t *restrict state)
{
	(void)state;
	if (!out)
		return 1;
	if ((uint32_t)c > 0x7f)
		return bad();
	*out = (char)c;
	return 1;
}

int wctomb(char *out, wchar_t c)
{
	return out ? (int)wcrtomb(out, c, NULL) : 0;
}

wint_t btowc(int c)
{
	return c < -128 || c > 0x7f || c == -1 ? WEOF : c < 0 ? WEOF : (wint_t)c;
}

int wctob(wint_t c)
{
	return c > 0x7f ? -1 : (int)c;
}

size_t mbrtoc32(char32_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state)
{
	return mbrtowc((wchar_t *)out, s, n, state);
}

size_t c32rtomb(char *restrict out, char32_t c, mbstate_t *restrict state)
{
	return wcrtomb(out, (wchar_t)c, state);
}

size_t mbrtoc16(char16_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state)
{
	wchar_t c;
	size_t r = mbrtowc(&c, s, n, state);

	if (out && s && r <= 1)
		*out = (char16_t)c;
	return r;
}

size_t c16rtomb(char *restrict out, char16_t c, mbstate_t *restrict state)
{
	return wcrtomb(out, c, state);
}

/* ---- strings ----------------------------------------------------------------------------- */

/* At most nin bytes, nout wide characters. With out NULL it only counts. */
size_t __mbsnrtowcs(wchar_t *restrict out, const char **restrict from, size_t nin, size_t nout,
	mbstate_t *restrict state)
{
	const char *s = *from;
	size_t n = 0;

	(void)state;
	for (; (!out || n < nout) && (size_t)(s - *from) < nin; s++) {
		if ((unsigned char)*s > 0x7f) {
			if (out)
				*from = s;
			return bad();
		}
		if (out)
			out[n] = *s;
		if (!*s) {
			if (out)
				*from = NULL;
			return n;
		}
		n++;
	}
	if (out)
		*from = s;
	return n;
}
M_ALIAS(mbsnrtowcs, __mbsnrtowcs);

size_t mbsrtowcs(wchar_t *restrict out, const char **restrict from, size_t n,
	mbstate_t *restrict state)
{
	return __mbsnrtowcs(out, from, SIZE_MAX, n, state);
}

size_t mbstowcs(wchar_t *restrict out, const char *restrict s, size_t n)
{
	const char *from = s;

	return __mbsnrtowcs(out, &from, SIZE_MAX, n, NULL);
}

size_t __wcsnrtombs(char *restrict out, const wchar_t **restrict from, size_t nin, size_t nout,
	mbstate_t *restrict state)
{
	const wchar_t *s = *from;
	size_t n = 0;

	(void)state;
	for (; (!out || n < nout) && (size_t)(s - *from) < nin; s++) {
		if ((uint32_t)*s > 0x7f) {
			if (out)
				*from = s;
			return bad();
		}
		if (out)
			out[n] = (char)*s;
		if (!*s) {
			if (out)
				*from = NULL;
			return n;
		}
		n++;
	}
	if (out)
		*from = s;
	return n;
}
M_ALIAS(wcsnrtombs, __wcsnrtombs);

size_t wcsrtombs(char *restrict out, const wchar_t **restrict from, size_t n,
	mbstate_t *restrict state)
{
	return __wcsnrtombs(out, from, SIZE_MAX, n, state);
}

size_t wcstombs(char *restrict out, const wchar_t *restrict s, size_t n)
{
	const wchar_t *from = s;

	return __wcsnrtombs(out, &from, SIZE_MAX, n, NULL);
}
