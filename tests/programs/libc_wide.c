/*
 * check-name: wide and multibyte characters in the C locale
 */
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

int main(void)
{
	wchar_t w[30], *end, *save;
	char s[30];
	mbstate_t state = {0};

	printf("%s %zu\n", setlocale(LC_ALL, "C"), (size_t)MB_CUR_MAX);
	printf("%zu %zu\n", mbstowcs(w, "wide text", 30), wcslen(w));
	printf("%ls %d %d\n", wcschr(w, L't'), wcscmp(w, L"wide") > 0, wcsncmp(w, L"wide", 4));
	printf("%zu %s\n", wcstombs(s, L"back", 30), s);
	printf("%zd %zd\n", (ssize_t)mbrtowc(w, "\xe4", 1, &state),
		(ssize_t)wcrtomb(s, 0xe4, &state));
	printf("%ld %ls\n", wcstol(L"0x10rest", &end, 0), end);
	wcscpy(w, L"a b  c");
	for (wchar_t *t = wcstok(w, L" ", &save); t; t = wcstok(NULL, L" ", &save))
		printf("[%ls]", t);
	printf("\n%d %d %lc\n", iswalpha(L'x') != 0, iswdigit(L'x') != 0, towupper(L'x'));
	printf("%s %d\n", localeconv()->decimal_point, localeconv()->frac_digits);
	printf("%d %ls\n", swprintf(w, 30, L"%d-%ls-%s", 7, L"wide", "narrow"), w);
	printf("%d\n", swprintf(w, 3, L"%d", 12345));
	return 0;
}
