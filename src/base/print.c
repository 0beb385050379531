#include "base/print.h"

#include "base/strbuf.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

void print_text(FILE *to, const char *s, size_t n)
{
	struct strbuf clean = {0};
	size_t at = 0, end;

	while (at < n) {
		for (end = at; end < n && s[end] != '\n' && s[end] != '\t'; end++)
			;
		utf8_add_clean(&clean, s + at, end - at);
		if (end < n)
			strbuf_addc(&clean, s[end]);
		at = end + 1;
	}
	if (clean.n)
		fwrite(clean.s, 1, clean.n, to);
	strbuf_release(&clean);
}

void print_clean(FILE *to, const char *fmt, ...)
{
	struct strbuf b = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	print_text(to, b.s, b.n);
	strbuf_release(&b);
}
