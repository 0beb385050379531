/* The order of findings in a report, and which of them belong together. */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum harm report_harm(const struct finding *f)
{
	switch (fault_words[f->kind].sign) {
	case SIGN_SIGNAL:
	case SIGN_ACCESS:
	case SIGN_FREE:
	case SIGN_NONE: return HARM_MEMORY;
	case SIGN_ASSERT:
	case SIGN_ABORT: return HARM_FAILURE;
	case SIGN_DEADLOCK:
	case SIGN_STUCK:
	case SIGN_SELF_WAIT: return HARM_STUCK;
	case SIGN_MISUSE: return HARM_MISUSE;
	case SIGN_RACE: return HARM_RACE;
	case SIGN_ORDER: return HARM_ORDER;
	case SIGN_FLIP: return HARM_NONE;
	}
	BUG("fault %d", f->kind);
}

static bool is_seen(const struct finding *f)
{
	return f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = *(struct finding *const *)a, *y = *(struct finding *const *)b;

	if (is_seen(x) != is_seen(y))
		return is_seen(x) ? -1 : 1;
	if (report_harm(x) != report_harm(y))
		return report_harm(x) < report_harm(y) ? -1 : 1;
	if (x->flip.class_ != y->flip.class_)
		return x->flip.class_ > y->flip.class_ ? -1 : 1;
	if (strlen(x->name) != strlen(y->name))
		return strlen(x->name) < strlen(y->name) ? -1 : 1;
	return strcmp(x->name, y->name);
}

void report_rank(struct finding **f, uint32_t n)
{
	if (n)
		qsort(f, n, sizeof *f, compare_findings);
}

/* ---- what belongs together ------------------------------------------------------------------ */

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool has_step_of(const struct finding *f, const struct finding_step *key)
{
	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (s->place.line == key->place.line && is_same(s->place.file, key->place.file) &&
			is_same(s->data, key->data))
			return true;
	}
	return false;
}

bool report_leads_to(const struct finding *f, const struct finding *of)
{
	uint32_t keys = 0;

	if (f == of || report_harm(f) < HARM_RACE || report_harm(of) >= HARM_RACE)
		return false;
	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (!(s->flags & STEP_KEY))
			continue;
		if (!s->place.line || !has_step_of(of, s))
			return false;
		keys++;
	}
	return keys > 0;
}

/* The summary begins with the place, "lib/bank.c:31". */
static bool is_in_summary(const struct finding *f, const struct finding_place *p)
{
	struct strbuf b = {0};
	bool yes;

	strbuf_addf(&b, "%s:%u", p->file, p->line);
	yes = f->summary && !strncmp(f->summary, b.s, b.n) &&
	      (!f->summary[b.n] || strchr(" :", f->summary[b.n]));
	strbuf_release(&b);
	return yes;
}

struct finding_place report_place(const struct finding *f)
{
	const struct finding_place *at = NULL;

	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (s->flags & STEP_KEY && s->place.file && (!at || is_in_summary(f, &s->place)))
			at = &s->place;
	}
	if (at)
		return *at;
	if (f->test && f->test->file)
		return (struct finding_place){.file = f->test->file, .line = f->test->line};
	return (struct finding_place){0};
}
