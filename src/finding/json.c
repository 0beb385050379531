#include "finding/json.h"

#include "base/base.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>

static void add_quoted(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '"');
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		uint32_t n = utf8_length((const char *)s);

		if (*s == '"' || *s == '\\')
			strbuf_addf(out, "\\%c", *s);
		else if (*s == '\n')
			strbuf_adds(out, "\\n");
		else if (*s == '\t')
			strbuf_adds(out, "\\t");
		else if (*s < 0x20 || *s == 0x7f)
			strbuf_addf(out, "\\u%04x", *s);
		else if (*s == 0xc2 && n && s[1] < 0xa0) /* control characters, too */
			strbuf_addf(out, "\\u%04x", s[1]);
		else if (!n)
			strbuf_adds(out, "\xef\xbf\xbd");
		else
			strbuf_add(out, s, n);
		s += n ? n : 1;
	}
	strbuf_addc(out, '"');
}

static void begin_value(struct json *j, const char *key)
{
	if (j->depth && j->some[j->depth - 1])
		strbuf_addc(j->out, ',');
	if (j->depth)
		j->some[j->depth - 1] = true;
	if (key) {
		add_quoted(j->out, key);
		strbuf_addc(j->out, ':');
	}
}

static void open_(struct json *j, const char *key, char with, char close)
{
	BUG_ON(j->depth == JSON_DEPTH);
	begin_value(j, key);
	strbuf_addc(j->out, with);
	j->close[j->depth] = close;
	j->some[j->depth++] = false;
}

void json_object(struct json *j, const char *key)
{
	open_(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_(j, key, '[', ']');
}

void json_end(struct json *j)
{
	BUG_ON(!j->depth);
	strbuf_addc(j->out, j->close[--j->depth]);
}

void json_str(struct json *j, const char *key, const char *s)
{
	begin_value(j, key);
	if (s)
		add_quoted(j->out, s);
	else
		strbuf_adds(j->out, "null");
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	begin_value(j, key);
	strbuf_addf(j->out, "%" PRIu64, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	begin_value(j, key);
	strbuf_addf(j->out, "%" PRId64, v);
}

void json_double(struct json *j, const char *key, double v)
{
	begin_value(j, key);
	if (isfinite(v))
		strbuf_addf(j->out, "%.9f", v);
	else
		strbuf_adds(j->out, "null");
}

void json_bool(struct json *j, const char *key, bool v)
{
	begin_value(j, key);
	strbuf_adds(j->out, v ? "true" : "false");
}

void json_raw(struct json *j, const char *key, const char *json)
{
	begin_value(j, key);
	strbuf_adds(j->out, json);
}

void json_addr(struct json *j, const char *key, uint64_t addr)
{
	begin_value(j, key);
	strbuf_addf(j->out, "\"0x%" PRIx64 "\"", addr);
}
