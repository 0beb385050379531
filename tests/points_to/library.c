/* results of library functions, and pointers that they store */
#define _GNU_SOURCE
#include "expect.h"

#include <libintl.h>
#include <locale.h>
#include <pwd.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

wchar_t wide[8], copy[8];
char text[16] = "12 34", name[64];
int x;

static int compare(const void *a, const void *b)
{
	expect(a, "main.key");
	expect(b, "table+0%8");
	return *(int *const *)a != *(int *const *)b;
}

int *table[4];

int main(void)
{
	struct passwd entry, *found = NULL;
	size_t n = 0;
	int *key = &x;
	char *end;

	expect(wmemset(wide, 0, 4), "wide");
	expect(wmemcpy(copy, wide, 4), "copy");
	expect(wcsrchr(wide, 'x'), "wide?");
	expect(wcscat(wide, copy), "wide");
	expect(memset(text + 6, 0, 4), "text+6");
	strtol_l(text, &end, 10, uselocale((locale_t)0));
	expect(end, "text?");
	expect(lsearch(&key, table, &n, sizeof(table[0]), compare), "table+0%8");
	expect(table[0], "x");
	if (getpwnam_r("root", &entry, name, sizeof(name), &found) == 0 && found) {
		expect(found, "main.entry");
		expect(found->pw_dir, "name?");
	}
	expect(dgettext("none", text), "text lib:dcgettext");
	return 0;
}
