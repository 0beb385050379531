#include "cli/set_aside.h"

#include "base/base.h"
#include "base/file.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void keep_known(void *ctx, const struct finding *f)
{
	struct set_aside *sa = ctx;

	*map_put(&sa->known, f->fingerprint) = 1;
}

static int read_baseline(struct set_aside *sa, const char *path)
{
	struct strbuf b = {0};
	int rc = file_read(&b, path);
	char *at = b.s;

	while (!rc && at && *at) {
		char *end = strchrnul(at, '\n');
		struct finding *f =
			end > at ? finding_from_json(at, (size_t)(end - at), path) : NULL;

		if (f)
			keep_known(sa, f);
		else if (end > at)
			rc = -1;
		finding_free(f);
		at = *end ? end + 1 : end;
	}
	strbuf_release(&b);
	return rc;
}

static int read_suppressions(struct set_aside *sa, const char *file, const char *dir)
{
	char *usual = xasprintf("%s%sheddle.supp", dir ? dir : "", dir ? "/" : "");
	int rc = 0;

	if (file || !access(usual, F_OK))
		rc = suppressions_read(&sa->s, file ? file : usual);
	free(usual);
	return rc;
}

int set_aside_open(struct set_aside *sa, const struct set_aside_args *a, const char *dir)
{
	if (read_suppressions(sa, a->file, dir))
		return -1;
	return a->baseline ? read_baseline(sa, a->baseline) : 0;
}

int set_aside_read_known(struct set_aside *sa, const struct set_aside_args *a, struct findings *db)
{
	return a->only_new ? findings_each(db, keep_known, sa) : 0;
}

bool set_aside_has(struct set_aside *sa, const struct finding *f)
{
	return map_get(&sa->known, f->fingerprint) || suppressions_find(&sa->s, f);
}

void set_aside_take(struct set_aside *sa, struct finding *f)
{
	struct suppression *s = suppressions_find(&sa->s, f);

	if (s)
		s->used++;
	vec_push(&sa->at, (struct aside_finding){f, s ? s->why : NULL, !s});
}

static uint32_t count_aside(const struct set_aside *sa, bool known)
{
	uint32_t n = 0;

	vec_each (&sa->at, i)
		n += sa->at.at[i].known == known;
	return n;
}

static void add_aside(const struct set_aside *sa, bool known, struct strbuf *out)
{
	uint32_t n = count_aside(sa, known);

	if (!n)
		return;
	strbuf_addf(out, "  %s: %u finding%s\n", known ? "known before, not counted" : "suppressed",
		n, n == 1 ? "" : "s");
	vec_each (&sa->at, i) {
		const struct aside_finding *a = &sa->at.at[i];
		struct finding_place at = report_place(a->f);

		if (a->known != known)
			continue;
		strbuf_addf(out, "    %-4s %s%s", a->f->name, a->f->title, at.file ? ", " : "");
		finding_add_place(&at, false, out);
		strbuf_addf(out, "%s%s\n", a->reason ? ": " : "", a->reason ? a->reason : "");
	}
}

void set_aside_text(const struct set_aside *sa, struct strbuf *out)
{
	add_aside(sa, false, out);
	add_aside(sa, true, out);
	vec_each (&sa->s.at, i) {
		const struct suppression *s = &sa->s.at.at[i];

		if (!s->used)
			strbuf_addf(out, "  unused suppression: %s:%u: %s:%s\n", sa->s.file,
				s->line, s->type, s->pattern);
	}
}

static void put_aside(const struct set_aside *sa, bool known, struct json *j)
{
	json_array(j, known ? "known" : "suppressed");
	vec_each (&sa->at, i) {
		const struct aside_finding *a = &sa->at.at[i];

		if (a->known != known)
			continue;
		json_object(j, NULL);
		json_str(j, "name", a->f->name);
		json_str(j, "kind", fault_words[a->f->kind].word);
		json_str(j, "status", finding_status_words[a->f->status]);
		json_addr(j, "fingerprint", a->f->fingerprint);
		json_str(j, "title", a->f->title);
		json_str(j, "why", a->reason);
		json_end(j);
	}
	json_end(j);
}

void set_aside_json(const struct set_aside *sa, struct json *j)
{
	put_aside(sa, false, j);
	put_aside(sa, true, j);
	json_array(j, "unused_suppressions");
	vec_each (&sa->s.at, i) {
		const struct suppression *s = &sa->s.at.at[i];

		if (s->used)
			continue;
		json_object(j, NULL);
		json_str(j, "file", sa->s.file);
		json_u64(j, "line", s->line);
		json_str(j, "type", s->type);
		json_str(j, "pattern", s->pattern);
		json_end(j);
	}
	json_end(j);
}

void set_aside_release(struct set_aside *sa)
{
	vec_each (&sa->at, i)
		finding_free(sa->at.at[i].f);
	vec_release(&sa->at);
	suppressions_release(&sa->s);
	map_release(&sa->known);
}
