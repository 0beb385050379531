#include "object/record.h"

#include <string.h>

void record_add_(struct strbuf *out, const char *const *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addc(out, '\t');
		for (const char *p = fields[i]; *p; p++) {
			if (*p == '\t' || *p == '\n' || *p == '\\') {
				strbuf_addc(out, '\\');
				strbuf_addc(out, *p == '\t' ? 't' : *p == '\n' ? 'n' : '\\');
			} else {
				strbuf_addc(out, *p);
			}
		}
	}
	strbuf_addc(out, '\n');
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*to++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

bool record_next(struct record_reader *r, struct record *out)
{
	char *line = r->pos, *end, *field;

	end = line < r->end ? memchr(line, '\n', (size_t)(r->end - line)) : NULL;
	*out = (struct record){0};
	for (uint32_t i = 0; i < RECORD_MAX; i++)
		out->field[i] = "";
	if (!end)
		return false;
	*end = 0;
	r->pos = end + 1;
	while (line && out->n < RECORD_MAX) {
		field = strsep(&line, "\t");
		unescape(field);
		out->field[out->n++] = field;
	}
	return true;
}
