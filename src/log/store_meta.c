/* The text of `meta`: written and read by the table store.def. */
#include "log/store_internal.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHECK_KEY "check="

/* ---- writing ----------------------------------------------------------------------------- */

static void put_text(struct strbuf *out, const char *key, const char *text)
{
	strbuf_addf(out, "%s=", key);
	for (; *text; text++) {
		if (*text == '\\')
			strbuf_adds(out, "\\\\");
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			strbuf_addf(out, "\\x%02x", (unsigned char)*text);
		else
			strbuf_addc(out, *text);
	}
	strbuf_addc(out, '\n');
}

static void put_crash(struct strbuf *out, const char *key, const struct store_crash *c)
{
	strbuf_addf(out, "%s=%u %d %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", key, c->thread, c->signo,
		c->addr, c->pc, c->proven);
}

#define PUT_HEX(f)  strbuf_addf(out, "%s=%016" PRIx64 "\n", #f, m->f)
#define PUT_U64(f)  strbuf_addf(out, "%s=%" PRIu64 "\n", #f, m->f)
#define PUT_U32(f)  strbuf_addf(out, "%s=%u\n", #f, m->f)
#define PUT_I32(f)  strbuf_addf(out, "%s=%d\n", #f, m->f)
#define PUT_BOOL(f) strbuf_addf(out, "%s=%d\n", #f, m->f)
#define PUT_TEXT(f)                                                                                \
	if (m->f)                                                                                  \
	put_text(out, #f, m->f)
#define PUT_TEXTS(f)                                                                               \
	vec_each (&m->f, i)                                                                        \
	put_text(out, #f, m->f.at[i])
#define PUT_CRASHES(f)                                                                             \
	vec_each (&m->f, i)                                                                        \
	put_crash(out, #f, &m->f.at[i])

void store_meta_write(struct strbuf *out, const struct store_meta *m)
{
	size_t from = out->n;

	strbuf_adds(out, STORE_META_HEAD);
#define META(kind, field) PUT_##kind(field);
#include "log/store.def"
#undef META
	strbuf_addf(
		out, CHECK_KEY "%016" PRIx64 "\n", store_check(0, out->s + from, out->n - from));
}

/* ---- reading ----------------------------------------------------------------------------- */

struct line {
	const char *value; /* ends in NUL */
	bool ok;
};

static uint64_t get_number(struct line *l, int base, uint64_t max)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(l->value, &end, base);
	if (end == l->value || *end || errno || v > max || l->value[0] == '-')
		l->ok = false;
	return v;
}

static int32_t get_signed(struct line *l)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(l->value, &end, 10);
	if (end == l->value || *end || errno || v < INT32_MIN || v > INT32_MAX)
		l->ok = false;
	return (int32_t)v;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *get_text(struct line *l)
{
	struct strbuf b = {0};

	strbuf_adds(&b, "");
	for (const char *p = l->value; *p; p++) {
		if (*p != '\\') {
			strbuf_addc(&b, *p);
		} else if (p[1] == '\\') {
			strbuf_addc(&b, *++p);
		} else if (p[1] == 'x' && hex_digit(p[2]) >= 0 && hex_digit(p[3]) >= 0) {
			strbuf_addc(&b, (char)(hex_digit(p[2]) << 4 | hex_digit(p[3])));
			p += 3;
		} else {
			l->ok = false;
			break;
		}
	}
	return strbuf_detach(&b);
}

static struct store_crash get_crash(struct line *l)
{
	struct store_crash c = {0};
	int end = -1;

	if (sscanf(l->value, "%" SCNu32 " %" SCNd32 " %" SCNx64 " %" SCNx64 " %" SCNu64 "%n",
		    &c.thread, &c.signo, &c.addr, &c.pc, &c.proven, &end) != 5 ||
		l->value[end])
		l->ok = false;
	return c;
}

#define GET_HEX(f)     m->f = get_number(l, 16, UINT64_MAX)
#define GET_U64(f)     m->f = get_number(l, 10, UINT64_MAX)
#define GET_U32(f)     m->f = (uint32_t)get_number(l, 10, UINT32_MAX)
#define GET_I32(f)     m->f = get_signed(l)
#define GET_BOOL(f)    m->f = get_number(l, 10, 1) != 0
#define GET_TEXT(f)    (free(m->f), m->f = get_text(l))
#define GET_TEXTS(f)   vec_push(&m->f, get_text(l))
#define GET_CRASHES(f) vec_push(&m->f, get_crash(l))

/* Unknown keys are ignored: a newer heddle may have written them. */
static void take_line(struct store_meta *m, const char *key, struct line *l)
{
#define META(kind, field)                                                                          \
	if (!strcmp(key, #field)) {                                                                \
		GET_##kind(field);                                                                 \
		return;                                                                            \
	}
#include "log/store.def"
#undef META
}

/* Size of the text before the line with the checksum, or -1: the text is cut off or was changed.
 * Blank lines after it reserve space. */
static int64_t find_check(const char *text, size_t n)
{
	static const char key[] = "\n" CHECK_KEY;
	const char *at = memmem(text, n, key, sizeof key - 1);
	char want[32];
	size_t k, size;

	if (!at)
		return -1;
	k = (size_t)(at - text) + 1;
	size = (size_t)snprintf(
		want, sizeof want, CHECK_KEY "%016" PRIx64 "\n", store_check(0, text, k));
	if (n - k < size || memcmp(text + k, want, size))
		return -1;
	for (size_t i = k + size; i < n; i++)
		if (text[i] != '\n')
			return -1;
	return (int64_t)k;
}

int store_meta_read(struct store_meta *m, const char *path, const char *text, size_t n)
{
	struct diag_pos pos = {.file = path, .line = 0};
	int64_t size = find_check(text, n);
	char *copy, *line, *next, *eq;
	int rc = 0;

	*m = (struct store_meta){0};
	if (n < strlen(STORE_META_HEAD) || memcmp(text, STORE_META_HEAD, strlen(STORE_META_HEAD)))
		return error_at(
			pos, "not a trace of heddle, or one of another version (record again)");
	if (size < 0)
		return error_at(pos, "the file is damaged (record again)");
	copy = xstrndup(text, (size_t)size);
	for (line = copy; !rc && *line; line = next) {
		struct line l = {.ok = true};

		pos.line++;
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = 0;
		eq = strchr(line, '=');
		if (eq) {
			*eq = 0;
			l.value = eq + 1;
			take_line(m, line, &l);
		}
		if (!eq || !l.ok)
			rc = error_at(pos, "the value of '%s' is invalid (record again)", line);
	}
	free(copy);
	return rc;
}

#define RELEASE_HEX(f)
#define RELEASE_U64(f)
#define RELEASE_U32(f)
#define RELEASE_I32(f)
#define RELEASE_BOOL(f)
#define RELEASE_TEXT(f) free(m->f);
#define RELEASE_TEXTS(f)                                                                           \
	vec_each (&m->f, i)                                                                        \
		free(m->f.at[i]);                                                                  \
	vec_release(&m->f);
#define RELEASE_CRASHES(f) vec_release(&m->f);

void store_meta_release(struct store_meta *m)
{
#define META(kind, field) RELEASE_##kind(field)
#include "log/store.def"
#undef META
	*m = (struct store_meta){0};
}
