/* Wide characters against glibc, in the C locale. */
#include "diff.h"
#include <wchar.h>
#include <wctype.h>

MODEL(wcslen);
MODEL(wcsnlen);
MODEL(wcscmp);
MODEL(wcsncmp);
MODEL(wmemcmp);
MODEL(wcscasecmp);
MODEL(wcsncasecmp);
MODEL(wcschr);
MODEL(wcsrchr);
MODEL(wcsspn);
MODEL(wcscspn);
MODEL(wcspbrk);
MODEL(wcsstr);
MODEL(wcstok);
MODEL(wcsncpy);
MODEL(wcpncpy);
MODEL(wcsncat);
MODEL(wcsxfrm);
MODEL(wcwidth);
MODEL(wcswidth);
MODEL(mbrtowc);
MODEL(mbtowc);
MODEL(mblen);
MODEL(wcrtomb);
MODEL(wctomb);
MODEL(btowc);
MODEL(wctob);
MODEL(mbstowcs);
MODEL(mbsnrtowcs);
MODEL(mbsrtowcs);
MODEL(wcstombs);
MODEL(wcsnrtombs);
MODEL(wcstod);
MODEL(towlower);
MODEL(towupper);
MODEL(wctype);
MODEL(iswctype);
#if __GLIBC_PREREQ(2, 38) /* the name is redirected */
#define m_wcstol m___isoc23_wcstol
#endif
long m_wcstol(const wchar_t *s, wchar_t **end, int base);

enum { MAX = 12 };

static size_t text(wchar_t *s, unsigned max)
{
	static const wchar_t letters[] = L"aabbABxyz,.0129 \xe4\x80\x20ac";
	unsigned n = below(max + 1), k = 2 + below(sizeof letters / sizeof *letters - 3);

	for (unsigned i = 0; i < n; i++)
		s[i] = letters[below(k)];
	s[n] = 0;
	return n;
}

static long at(const wchar_t *base, const wchar_t *p)
{
	return p ? p - base : -1;
}

static void strings(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(30000); i++) {
		wchar_t a[MAX + 1], b[MAX + 1], s[4], da[50], db[50], *ea, *eb;
		size_t na = text(a, MAX), n = below(MAX + 4);
		wchar_t c = one_in(4) ? 0 : a[below(MAX)];
		text(b, one_in(2) ? 3 : MAX);
		text(s, 3);
		if (one_in(2)) {
			size_t k = below((unsigned)na + 1);
			wmemcpy(b, a, k);
			b[k] = 0;
		}
		SAME_INT(wcslen(a), m_wcslen(a), "wcslen");
		SAME_INT(wcsnlen(a, n), m_wcsnlen(a, n), "wcsnlen");
		SAME_SIGN(wcscmp(a, b), m_wcscmp(a, b), "wcscmp");
		SAME_SIGN(wcsncmp(a, b, n), m_wcsncmp(a, b, n), "wcsncmp");
		SAME_SIGN(wcscasecmp(a, b), m_wcscasecmp(a, b), "wcscasecmp");
		SAME_SIGN(wcsncasecmp(a, b, n), m_wcsncasecmp(a, b, n), "wcsncasecmp");
		SAME_SIGN(wmemcmp(a, b, 1), m_wmemcmp(a, b, 1), "wmemcmp");
		SAME_INT(at(a, wcschr(a, c)), at(a, m_wcschr(a, c)), "wcschr");
		SAME_INT(at(a, wcsrchr(a, c)), at(a, m_wcsrchr(a, c)), "wcsrchr");
		SAME_INT(wcsspn(a, s), m_wcsspn(a, s), "wcsspn");
		SAME_INT(wcscspn(a, s), m_wcscspn(a, s), "wcscspn");
		SAME_INT(at(a, wcspbrk(a, s)), at(a, m_wcspbrk(a, s)), "wcspbrk");
		SAME_INT(at(a, wcsstr(a, b)), at(a, m_wcsstr(a, b)), "wcsstr");
		SAME_INT(wcswidth(a, n), m_wcswidth(a, n), "wcswidth");
		memset(da, 1, sizeof da);
		memset(db, 1, sizeof db);
		SAME_INT(wcsncpy(da, a, n) - da, m_wcsncpy(db, a, n) - db, "wcsncpy");
		SAME_MEM(da, db, sizeof da, "wcsncpy");
		SAME_INT(wcpncpy(da, b, n) - da, m_wcpncpy(db, b, n) - db, "wcpncpy");
		SAME_MEM(da, db, sizeof da, "wcpncpy");
		wcscpy(da, a);
		wcscpy(db, a);
		SAME_INT(wcsncat(da, b, n) - da, m_wcsncat(db, b, n) - db, "wcsncat");
		SAME_MEM(da, db, sizeof da, "wcsncat");
		SAME_INT(wcsxfrm(da, a, n), m_wcsxfrm(db, a, n), "wcsxfrm");
		SAME_MEM(da, db, sizeof da, "wcsxfrm");
		errno = m_errno = 0;
		SAME_INT(wcstol(a, &ea, 0), m_wcstol(a, &eb, 0), "wcstol '%ls'", a);
		SAME_INT(ea - a, eb - a, "end of wcstol '%ls'", a);
		SAME_INT(wcstod(a, &ea) * 1000, m_wcstod(a, &eb) * 1000, "wcstod '%ls'", a);
		SAME_INT(ea - a, eb - a, "end of wcstod '%ls'", a);
	}
}

static void tokens(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(5000); i++) {
		wchar_t a[MAX + 1], b[MAX + 1], s[4], *sa = NULL, *sb = NULL, *ra, *rb;
		text(a, MAX);
		text(s, 3);
		wcscpy(b, a);
		ra = wcstok(a, s, &sa);
		rb = m_wcstok(b, s, &sb);
		for (;;) {
			SAME_INT(at(a, ra), at(b, rb), "wcstok");
			SAME_MEM(a, b, 4 * (wcslen(a) + 1), "wcstok");
			if (!ra)
				break;
			ra = wcstok(NULL, s, &sa);
			rb = m_wcstok(NULL, s, &sb);
		}
	}
}

static void characters(void **state)
{
	static const char *const classes[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
		"lower", "print", "punct", "space", "upper", "xdigit", "nosuch"};

	(void)state;
	for (int c = -2; c < 400; c++) {
		char a[20] = "", b[20] = "", bytes[2] = {(char)c, 0};
		wchar_t wa = 7, wb = 7;
		SAME_INT(towlower((wint_t)c), m_towlower((wint_t)c), "towlower %d", c);
		SAME_INT(towupper((wint_t)c), m_towupper((wint_t)c), "towupper %d", c);
		SAME_INT(wcwidth(c), m_wcwidth(c), "wcwidth %d", c);
		SAME_INT(wctob((wint_t)c), m_wctob((wint_t)c), "wctob %d", c);
		if (c < 256)
			SAME_INT(btowc(c), m_btowc(c), "btowc %d", c);
		for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
			SAME_INT(iswctype((wint_t)c, wctype(classes[k])) != 0,
				m_iswctype((wint_t)c, m_wctype(classes[k])) != 0, "iswctype %s %d",
				classes[k], c);
		errno = m_errno = 0;
		SAME_INT(wctomb(a, c), m_wctomb(b, c), "wctomb %d", c);
		SAME_INT(wcrtomb(a, c, NULL), m_wcrtomb(b, c, NULL), "wcrtomb %d", c);
		SAME_MEM(a, b, sizeof a, "wcrtomb %d", c);
		for (size_t n = 0; n < 3; n++) {
			mbstate_t st = {0};
			SAME_INT(mbrtowc(&wa, bytes, n, &st), m_mbrtowc(&wb, bytes, n, NULL),
				"mbrtowc %d", c);
			SAME_INT(mbtowc(&wa, bytes, n), m_mbtowc(&wb, bytes, n), "mbtowc %d", c);
			SAME_INT(mblen(bytes, n), m_mblen(bytes, n), "mblen %d", c);
			SAME_INT(wa, wb, "mbrtowc %d", c);
		}
		SAME_INT(errno, m_errno, "errno of %d", c);
	}
	SAME_INT(wctomb(NULL, 'x'), m_wctomb(NULL, 'x'), "wctomb NULL");
	SAME_INT(mblen(NULL, 1), m_mblen(NULL, 1), "mblen NULL");
}

static void conversions(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(20000); i++) {
		wchar_t w[MAX + 1], wa[30], wb[30];
		const wchar_t *fa = w, *fb = w;
		char s[MAX + 1], a[30], b[30];
		const char *ga = s, *gb = s;
		mbstate_t st = {0};
		size_t n = text(w, MAX), in = below(16), out = below(16);
		int null = one_in(4);
		for (size_t k = 0; k <= n; k++)
			s[k] = (char)w[k];
		memset(a, 1, sizeof a);
		memset(b, 1, sizeof b);
		memset(wa, 1, sizeof wa);
		memset(wb, 1, sizeof wb);
		SAME_INT(wcstombs(a, w, out), m_wcstombs(b, w, out), "wcstombs");
		SAME_MEM(a, b, sizeof a, "wcstombs");
		SAME_INT(mbstowcs(wa, s, out), m_mbstowcs(wb, s, out), "mbstowcs");
		SAME_MEM(wa, wb, sizeof wa, "mbstowcs");
		SAME_INT(wcsnrtombs(null ? NULL : a, &fa, in, out, &st),
			m_wcsnrtombs(null ? NULL : b, &fb, in, out, NULL),
			"wcsnrtombs '%ls' %zu %zu", w, in, out);
		SAME_INT(
			fa ? fa - w : -1, fb ? fb - w : -1, "wcsnrtombs '%ls' %zu %zu", w, in, out);
		SAME_MEM(a, b, sizeof a, "wcsnrtombs");
		memset(&st, 0, sizeof st);
		SAME_INT(mbsnrtowcs(null ? NULL : wa, &ga, in, out, &st),
			m_mbsnrtowcs(null ? NULL : wb, &gb, in, out, NULL),
			"mbsnrtowcs '%s' %zu %zu", s, in, out);
		SAME_INT(ga ? ga - s : -1, gb ? gb - s : -1, "mbsnrtowcs '%s' %zu %zu", s, in, out);
		SAME_MEM(wa, wb, sizeof wa, "mbsnrtowcs");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings),
		cmocka_unit_test(tokens),
		cmocka_unit_test(characters),
		cmocka_unit_test(conversions),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
