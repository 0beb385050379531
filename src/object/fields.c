#include "object/fields.h"

#include <string.h>

void fields_add_(struct strbuf *out, const char *const *fields, size_t n)
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

static void unescape_field(char *s)
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

bool fields_next(struct fields_reader *r, struct fields *out)
{
	char *line = r->pos, *end, *field;

	end = line < r->end ? memchr(line, '\n', (size_t)(r->end - line)) : NULL;
	*out = (struct fields){0};
	for (uint32_t i = 0; i < FIELDS_MAX; i++)
		out->field[i] = "";
	if (!end)
		return false;
	*end = 0;
	r->pos = end + 1;
	while (line && out->n < FIELDS_MAX) {
		field = strsep(&line, "\t");
		unescape_field(field);
		out->field[out->n++] = field;
	}
	return true;
}
