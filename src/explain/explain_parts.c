/*
 * The parts of a step that formats draw: the operation, the data and its value, the step that it
 * reads from, its place in the recorded order, the locks that are held. And the lines of the source
 * around the steps.
 */
#include "explain/explain_internal.h"

#include "base/base.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum {
	CONTEXT = 2,         /* lines of the source shown before and after a step */
	MAX_SNIPPET = 16384, /* bytes: a file may have its whole text in one line */
};

static const uint8_t ops[CTP_NKINDS] = {
	[CTP_READ] = STEP_OP_READ,
	[CTP_WRITE] = STEP_OP_WRITE,
	[CTP_RMW] = STEP_OP_UPDATE,
	[CTP_LOCK] = STEP_OP_LOCK,
	[CTP_RDLOCK] = STEP_OP_LOCK,
	[CTP_UNLOCK] = STEP_OP_UNLOCK,
	[CTP_RDUNLOCK] = STEP_OP_UNLOCK,
	[CTP_WAIT] = STEP_OP_WAIT,
	[CTP_SEM_WAIT] = STEP_OP_WAIT,
	[CTP_BARRIER_ENTER] = STEP_OP_WAIT,
	[CTP_SIGNAL] = STEP_OP_SIGNAL,
	[CTP_BROADCAST] = STEP_OP_SIGNAL,
	[CTP_SEM_POST] = STEP_OP_SIGNAL,
	[CTP_CREATE] = STEP_OP_CREATE,
	[CTP_JOIN] = STEP_OP_JOIN,
	[CTP_ALLOC] = STEP_OP_ALLOCATE,
	[CTP_FREE] = STEP_OP_FREE,
	[CTP_ASSERT] = STEP_OP_FAIL,
	[CTP_DIVISOR] = STEP_OP_FAIL,
	[CTP_DEREF] = STEP_OP_FAIL,
	[CTP_FAIL] = STEP_OP_FAIL,
};

/* A lock that the thread has not got: it waits in the end. */
static bool waits_for_lock(const struct explainer *x, uint32_t event)
{
	return ops[ctp_at(x->c, event)->kind] == STEP_OP_LOCK && !bitset_has(&x->done, event);
}

static char *name_data(const struct explainer *x, uint32_t event)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	struct strbuf b = {0};

	if (e->kind == CTP_READ || e->kind == CTP_WRITE || e->kind == CTP_RMW)
		ctp_name_access(x->c, event, &b);
	else if (e->object)
		add_object(x, e->object, &b);
	return b.n ? strbuf_detach(&b) : NULL;
}

static char *describe_value(struct explainer *x, uint32_t event)
{
	uint8_t op = ops[ctp_at(x->c, event)->kind];
	struct strbuf b = {0};
	bool known = op == STEP_OP_READ || op == STEP_OP_UPDATE
			     ? value_add(x, event, false, false, &b)
			     : op == STEP_OP_WRITE && value_add(x, event, true, false, &b);

	if (known && op == STEP_OP_UPDATE) {
		strbuf_adds(&b, " → ");
		known = value_add(x, event, true, false, &b);
	}
	if (known)
		return strbuf_detach(&b);
	strbuf_release(&b);
	return NULL;
}

/* The step that wrote what the event reads; 0: none that is shown. */
static uint32_t find_source(
	const struct explainer *x, const struct map *step_of, const struct ctp_event *e)
{
	for (uint32_t a = e->first; a < e->first + e->n; a++)
		if (x->c->accesses.at[a].sym.id && x->from[a] != CTP_NONE)
			return (uint32_t)map_get_or(step_of, x->event_of[x->from[a]], 0);
	return 0;
}

static void name_held_locks(const struct explainer *x, uint32_t event, struct finding_step *s)
{
	struct vec_u32 held = {0};

	held_at(x, event, &held);
	vec_each (&held, i) {
		const struct ctp_region *g = &x->c->regions.at[held.at[i]];
		struct strbuf b = {0};

		if (g->begin == CTP_NONE || ctp_at(x->c, g->begin)->flags & CTP_RECURSIVE)
			continue;
		add_object(x, g->object, &b);
		vec_push(&s->held, strbuf_detach(&b));
	}
	vec_release(&held);
}

/* ---- the source around the steps ------------------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
	const struct finding_place *x = *(const struct finding_place *const *)a;
	const struct finding_place *y = *(const struct finding_place *const *)b;
	int by_file = strcmp(x->file, y->file);

	return by_file ? by_file : x->line < y->line ? -1 : x->line > y->line;
}

static void add_snippet(struct explainer *x, const char *file, uint32_t first, uint32_t last)
{
	char *text = sources_lines(&x->src, file, first, &last);

	if (text && strlen(text) <= MAX_SNIPPET)
		vec_push(&x->f->snippets, (struct finding_snippet){xstrdup(file), first, text});
	else
		free(text);
}

static uint32_t context_before(uint32_t line)
{
	return line > CONTEXT ? line - CONTEXT : 1;
}

static void add_snippets(struct explainer *x)
{
	VEC(const struct finding_place *) at = {0};

	vec_each (&x->f->steps, i) {
		const struct finding_step *s = &x->f->steps.at[i];

		if (!(s->flags & STEP_MINOR) && s->place.file && s->place.line)
			vec_push(&at, &s->place);
	}
	if (at.n)
		qsort(at.at, at.n, sizeof *at.at, compare_places);
	for (uint32_t i = 0, end; i < at.n; i = end) {
		uint32_t last = at.at[i]->line + CONTEXT;

		for (end = i + 1; end < at.n && !strcmp(at.at[end]->file, at.at[i]->file) &&
				  context_before(at.at[end]->line) <= last + 1;
			end++)
			last = at.at[end]->line + CONTEXT;
		add_snippet(x, at.at[i]->file, context_before(at.at[i]->line), last);
	}
	vec_release(&at);
}

void explain_parts(struct explainer *x)
{
	struct map step_of = {0};

	vec_each (&x->shown, i)
		*map_put(&step_of, x->shown.at[i]) = i + 1;
	vec_each (&x->shown, i) {
		const struct ctp_event *e = ctp_at(x->c, x->shown.at[i]);
		struct finding_step *s = &x->f->steps.at[i];

		s->op = waits_for_lock(x, x->shown.at[i]) ? STEP_OP_WAIT : ops[e->kind];
		s->data = name_data(x, x->shown.at[i]);
		s->value = describe_value(x, x->shown.at[i]);
		s->reads_from = find_source(x, &step_of, e);
		s->recorded_at = e->rank == UINT32_MAX ? 0 : e->rank + 1;
		name_held_locks(x, x->shown.at[i], s);
	}
	map_release(&step_of);
	add_snippets(x);
}
