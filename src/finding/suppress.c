#include "finding/suppress.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------- */

/* Types of ThreadSanitizer that are no words of faults. */
static const char *const other_types[] = {
	"race_top", "mutex", "thread", "signal", "called_from_lib", "fingerprint"};

static bool is_type(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_types); i++)
		if (!strcmp(type, other_types[i]))
			return true;
	return fault_by_word(type) != FAULT_NONE;
}

struct supp_reader {
	struct suppressions *s;
	const char *path;
	uint32_t line;
	struct strbuf why;
};

static int read_rule(struct supp_reader *r, const char *text)
{
	const char *colon = strchr(text, ':');
	struct diag_pos at = {.file = r->path, .line = r->line};
	struct suppression *s;
	char *type;

	if (!colon || !colon[1])
		return error_at(at, "a suppression has the form 'race:PATTERN'");
	type = xstrndup(text, (size_t)(colon - text));
	if (!is_type(type)) {
		error_at(at, "'%s' is no type of suppression", type);
		free(type);
		return -1;
	}
	s = vec_add(&r->s->at);
	s->type = type;
	s->pattern = xstrdup(colon + 1);
	s->why = r->why.n ? strbuf_detach(&r->why) : NULL;
	s->line = r->line;
	return 0;
}

static int read_line(struct supp_reader *r, char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n && strchr(" \t\r", text[n - 1]); n--)
		text[n - 1] = 0;
	if (*text == '#') {
		text += 1 + strspn(text + 1, " \t");
		strbuf_clear(&r->why);
		strbuf_adds(&r->why, text);
		return 0;
	}
	if (*text)
		return read_rule(r, text);
	strbuf_clear(&r->why); /* a comment that stands alone is no reason */
	return 0;
}

int suppressions_read(struct suppressions *s, const char *path)
{
	struct supp_reader r = {.s = s, .path = path};
	struct strbuf b = {0};
	int rc = file_read(&b, path);
	char *at = b.s;

	while (!rc && at && *at) {
		char *end = strchrnul(at, '\n'), *next = *end ? end + 1 : end;

		*end = 0;
		r.line++;
		rc = read_line(&r, at);
		at = next;
	}
	free(s->file);
	s->file = xstrdup(path);
	strbuf_release(&b);
	strbuf_release(&r.why);
	return rc;
}

void suppressions_release(struct suppressions *s)
{
	vec_each (&s->at, i) {
		free(s->at.at[i].type);
		free(s->at.at[i].pattern);
		free(s->at.at[i].why);
	}
	vec_release(&s->at);
	free(s->file);
	s->file = NULL;
}

/* ---- matching ------------------------------------------------------------------------------- */

/* As TemplateMatch() of ThreadSanitizer: each part of the pattern between '*' is found as early as
 * possible. */
bool suppression_fits(const char *pattern, const char *text)
{
	bool anchored = *pattern == '^', star = false;

	if (!text || !*text)
		return false;
	pattern += anchored;
	while (*pattern) {
		size_t n = strcspn(pattern, "*$");
		const char *at;

		if (*pattern == '*') {
			pattern++;
			anchored = false;
			star = true;
			continue;
		}
		if (*pattern == '$')
			return !*text || star;
		at = memmem(text, strlen(text), pattern, n);
		if (!at || (anchored && at != text))
			return false;
		text = at + n;
		pattern += n;
		anchored = star = false;
	}
	return true;
}

static bool fits_place(const struct suppression *s, const struct finding_place *p)
{
	return suppression_fits(s->pattern, p->function) || suppression_fits(s->pattern, p->file);
}

static bool fits_step(const struct suppression *s, const struct finding *f,
	const struct finding_step *st, bool top)
{
	uint32_t n = top ? MIN(st->stack.n, 1u) : st->stack.n;

	for (uint32_t i = 0; i < n; i++)
		if (fits_place(s, &st->stack.at[i]))
			return true;
	if (fits_place(s, &st->place))
		return true;
	return !top && (suppression_fits(s->pattern, st->data) ||
			       (st->thread < f->threads.n &&
				       fits_place(s, &f->threads.at[st->thread].created)));
}

static bool fits_kind(const struct suppression *s, const struct finding *f)
{
	enum fault kind = f->kind;

	if (!strcmp(s->type, "race_top"))
		return kind == FAULT_RACE;
	if (!strcmp(s->type, "mutex"))
		return fault_words[kind].sign == SIGN_MISUSE || kind == FAULT_DOUBLE_LOCK;
	return fault_by_word(s->type) == kind;
}

static bool fits_finding(const struct suppression *s, const struct finding *f)
{
	bool top = !strcmp(s->type, "race_top");

	if (!strcmp(s->type, "fingerprint"))
		return strtoull(s->pattern, NULL, 16) == f->fingerprint;
	if (!fits_kind(s, f))
		return false;
	if (!top &&
		(suppression_fits(s->pattern, f->exe) || suppression_fits(s->pattern, f->summary)))
		return true;
	vec_each (&f->steps, i)
		if (f->steps.at[i].flags & STEP_KEY && fits_step(s, f, &f->steps.at[i], top))
			return true;
	return false;
}

struct suppression *suppressions_find(struct suppressions *s, const struct finding *f)
{
	vec_each (&s->at, i)
		if (fits_finding(&s->at.at[i], f))
			return &s->at.at[i];
	return NULL;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void add_comment(struct strbuf *out, const char *text)
{
	strbuf_adds(out, "# ");
	for (; *text; text++) /* one line */
		strbuf_addc(out, (unsigned char)*text < ' ' ? ' ' : *text);
	strbuf_addc(out, '\n');
}

void suppression_write(const struct finding *f, const char *why, struct strbuf *out)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "%s%s%s", f->title, f->summary ? ", " : "", f->summary ? f->summary : "");
	add_comment(out, b.s);
	add_comment(out, why);
	strbuf_addf(out, "fingerprint:%016" PRIx64 "\n", f->fingerprint);
	strbuf_release(&b);
}
