/*
 * Wide input and output. In the C locale a wide character in a file is one byte of ASCII, so these
 * are the functions for bytes with a check; formats are narrowed and widened.
 */
#include "model_printf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- characters -------------------------------------------------------------------------- */

int fwide(FILE *fp, int mode)
{
	if (!fp->_mode && mode)
		fp->_mode = mode < 0 ? -1 : 1;
	return fp->_mode;
}

static wint_t bad(FILE *fp)
{
	fp->_flags |= IO_ERR;
	errno = EILSEQ;
	return WEOF;
}

wint_t __fgetwc_unlocked(FILE *fp)
{
	int c;

	fwide(fp, 1);
	c = m_getc(fp);
	return c < 0 ? WEOF : c > 0x7f ? bad(fp) : (wint_t)c;
}
M_ALIAS(fgetwc_unlocked, __fgetwc_unlocked);
M_ALIAS(getwc_unlocked, __fgetwc_unlocked);

wint_t fgetwc(FILE *fp)
{
	wint_t c;

	m_lock(fp);
	c = __fgetwc_unlocked(fp);
	m_unlock(fp);
	return c;
}
M_ALIAS(getwc, fgetwc);

wint_t getwchar(void)
{
	return fgetwc(stdin);
}

wint_t __fputwc_unlocked(wchar_t c, FILE *fp)
{
	fwide(fp, 1);
	if ((uint32_t)c > 0x7f)
		return bad(fp);
	return m_putc(c, fp) < 0 ? WEOF : (wint_t)c;
}
M_ALIAS(fputwc_unlocked, __fputwc_unlocked);
M_ALIAS(putwc_unlocked, __fputwc_unlocked);

wint_t fputwc(wchar_t c, FILE *fp)
{
	wint_t r;

	m_lock(fp);
	r = __fputwc_unlocked(c, fp);
	m_unlock(fp);
	return r;
}
M_ALIAS(putwc, fputwc);

wint_t putwchar(wchar_t c)
{
	return fputwc(c, stdout);
}

wint_t ungetwc(wint_t c, FILE *fp)
{
	wint_t r;

	if (c > 0x7f)
		return WEOF;
	m_lock(fp);
	fwide(fp, 1);
	r = __m_ungetc(fp, (int)c) < 0 ? WEOF : c;
	m_unlock(fp);
	return r;
}

/* ---- lines ------------------------------------------------------------------------------- */

wchar_t *fgetws(wchar_t *restrict buf, int n, FILE *restrict fp)
{
	int k = 0;

	m_lock(fp);
	while (k + 1 < n) {
		wint_t c = __fgetwc_unlocked(fp);
		if (c == WEOF)
			break;
		buf[k++] = (wchar_t)c;
		if (c == '\n')
			break;
	}
	m_unlock(fp);
	if (!k && n > 1)
		return NULL;
	buf[k] = 0;
	return buf;
}

int fputws(const wchar_t *restrict s, FILE *restrict fp)
{
	int r = 1;

	m_lock(fp);
	for (; *s && r > 0; s++)
		if (__fputwc_unlocked(*s, fp) == WEOF)
			r = -1;
	m_unlock(fp);
	return r;
}

/* ---- formats ----------------------------------------------------------------------------- */

/* The format as bytes, or NULL with EILSEQ. */
static char *narrow(const wchar_t *format)
{
	size_t n = wcslen(format);
	char *p = __heddle_alloc(n + 1, 1, false);

	for (size_t i = 0; i <= n; i++) {
		if ((uint32_t)format[i] > 0x7f) {
			__heddle_free(p);
			errno = EILSEQ;
			return NULL;
		}
		p[i] = (char)format[i];
	}
	return p;
}

int vfwprintf(FILE *restrict fp, const wchar_t *restrict format, va_list ap)
{
	char *bytes = narrow(format);
	int r;

	if (!bytes)
		return -1;
	fwide(fp, 1);
	r = __m_vfprintf(fp, bytes, ap, 0);
	__heddle_free(bytes);
	return r;
}

int vwprintf(const wchar_t *restrict format, va_list ap)
{
	return vfwprintf(stdout, format, ap);
}

/* -1 also if it does not fit. */
int vswprintf(wchar_t *restrict buf, size_t n, const wchar_t *restrict format, va_list ap)
{
	char *bytes = narrow(format), *text;
	int r;

	if (!bytes || !n)
		return -1;
	text = __heddle_alloc(n, 1, false);
	r = __m_vsnprintf(text, n, bytes, ap, 0);
	__heddle_free(bytes);
	for (size_t i = 0; i < n && r >= 0 && (i <= (size_t)r); i++)
		buf[i] = (unsigned char)text[i] > 0x7f ? L'?' : text[i];
	if (r >= 0 && (size_t)r >= n) {
		buf[n - 1] = 0;
		r = m_fail(EOVERFLOW);
	}
	__heddle_free(text);
	return r;
}

#define FORWARD(call) \
	va_list ap; \
	int r; \
	va_start(ap, format); \
	r = call; \
	va_end(ap); \
	return r

int wprintf(const wchar_t *restrict format, ...)
{
	FORWARD(vfwprintf(stdout, format, ap));
}

int fwprintf(FILE *restrict fp, const wchar_t *restrict format, ...)
{
	FORWARD(vfwprintf(fp, format, ap));
}

int swprintf(wchar_t *restrict buf, size_t n, const wchar_t *restrict format, ...)
{
	FORWARD(vswprintf(buf, n, format, ap));
}

/* ---- as _FORTIFY_SOURCE calls them ------------------------------------------------------- */

_Noreturn void __chk_fail(void);

int __vfwprintf_chk(FILE *restrict fp, int flag, const wchar_t *restrict format, va_list ap)
{
	(void)flag;
	return vfwprintf(fp, format, ap);
}

int __fwprintf_chk(FILE *restrict fp, int flag, const wchar_t *restrict format, ...)
{
	(void)flag;
	FORWARD(vfwprintf(fp, format, ap));
}

int __wprintf_chk(int flag, const wchar_t *restrict format, ...)
{
	(void)flag;
	FORWARD(vfwprintf(stdout, format, ap));
}

int __vswprintf_chk(wchar_t *restrict buf, size_t n, int flag, size_t size,
	const wchar_t *restrict format, va_list ap)
{
	(void)flag;
	if (n > size)
		__chk_fail();
	return vswprintf(buf, n, format, ap);
}

int __swprintf_chk(wchar_t *restrict buf, size_t n, int flag, size_t size,
	const wchar_t *restrict format, ...)
{
	FORWARD(__vswprintf_chk(buf, n, flag, size, format, ap));
}
