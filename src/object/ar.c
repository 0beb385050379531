#include "object/ar.h"

#include "base/base.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THIN_MAGIC "!<thin>\n"

bool ar_init(struct ar *a, const void *data, size_t n)
{
	*a = (struct ar){.data = data, .n = n, .pos = SARMAG};
	if (n < SARMAG)
		return false;
	a->thin = !memcmp(data, THIN_MAGIC, SARMAG);
	return a->thin || !memcmp(data, ARMAG, SARMAG);
}

/* Reads a decimal number from a field that is padded with spaces; false if it has none. */
static bool parse_decimal(const char *s, size_t n, uint64_t *out)
{
	uint64_t x = 0;
	size_t i;

	for (i = 0; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		x = x * 10 + (uint64_t)(s[i] - '0');
	*out = x;
	if (!i)
		return false;
	for (; i < n; i++)
		if (s[i] != ' ')
			return false;
	return true;
}

static bool is_special(const struct ar_hdr *h)
{
	return !memcmp(h->ar_name, "/ ", 2) || !memcmp(h->ar_name, "/SYM64/", 7) ||
	       !memcmp(h->ar_name, "__.SYMDEF", 9);
}

static size_t length_before(const char *s, size_t n, const char *stop)
{
	size_t i = 0;

	while (i < n && !strchr(stop, s[i]))
		i++;
	return i;
}

/* Sets the name of the member whose header is h. A BSD name is the first bytes of the contents. */
static const char *member_name(struct ar *a, const struct ar_hdr *h, struct ar_member *m)
{
	uint64_t x;
	size_t n;

	if (h->ar_name[0] == '/' && parse_decimal(h->ar_name + 1, sizeof h->ar_name - 1, &x)) {
		if (x >= a->nlong)
			return "a member's name lies outside the table of names";
		n = length_before((const char *)a->long_names + x, a->nlong - x, "\n");
		if (n && a->long_names[x + n - 1] == '/')
			n--;
		m->name = xstrndup((const char *)a->long_names + x, n);
		return NULL;
	}
	if (!memcmp(h->ar_name, "#1/", 3) &&
		parse_decimal(h->ar_name + 3, sizeof h->ar_name - 3, &x)) {
		if (!m->data || x > m->n)
			return "a member's name is longer than the member";
		m->name = xstrndup((const char *)m->data, strnlen((const char *)m->data, x));
		m->data += x;
		m->offset += x;
		m->n -= x;
		return NULL;
	}
	n = length_before(h->ar_name, sizeof h->ar_name, "/");
	while (n && h->ar_name[n - 1] == ' ')
		n--;
	m->name = xstrndup(h->ar_name, n);
	return NULL;
}

/* Reads the header at a->pos and moves a->pos behind the member. */
static const char *read_member(struct ar *a, struct ar_hdr *h, struct ar_member *m, bool *is_file)
{
	bool long_names, stored;
	uint64_t size;

	if (a->n - a->pos < sizeof *h)
		return "truncated in a member's header";
	memcpy(h, a->data + a->pos, sizeof *h);
	a->pos += sizeof *h;
	if (memcmp(h->ar_fmag, ARFMAG, 2) || !parse_decimal(h->ar_size, sizeof h->ar_size, &size))
		return "a member's header is broken";
	long_names = !memcmp(h->ar_name, "// ", 3);
	*is_file = !long_names && !is_special(h);
	stored = !a->thin || !*is_file;
	if (stored && size > a->n - a->pos)
		return "truncated in a member";
	*m = (struct ar_member){
		.data = stored ? a->data + a->pos : NULL, .n = size, .offset = a->pos};
	if (long_names) {
		a->long_names = m->data;
		a->nlong = m->n;
	}
	if (stored)
		a->pos += size;
	a->pos += a->pos % 2 && a->pos < a->n;
	return *is_file ? member_name(a, h, m) : NULL;
}

bool ar_next(struct ar *a, struct ar_member *m, const char **wrong)
{
	const char *w = NULL;
	struct ar_hdr h;
	bool is_file;

	while (!w && a->pos < a->n) {
		w = read_member(a, &h, m, &is_file);
		if (!w && is_file && !strncmp(m->name, "__.SYMDEF", 9)) {
			free(m->name);
			continue;
		}
		if (!w && is_file)
			return true;
	}
	if (wrong)
		*wrong = w;
	a->pos = a->n;
	return false;
}

void ar_begin(struct strbuf *out)
{
	strbuf_adds(out, ARMAG);
}

void ar_add(struct strbuf *out, const char *name, const void *data, size_t n)
{
	char slashed[17];

	BUG_ON(strlen(name) > 15);
	snprintf(slashed, sizeof slashed, "%s/", name);
	strbuf_addf(out, "%-16s%-12d%-6d%-6d%-8o%-10zu" ARFMAG, slashed, 0, 0, 0, 0644, n);
	strbuf_add(out, data, n);
	if (n % 2)
		strbuf_addc(out, '\n');
}
