#include "deep/branch_rerun.h"

#include "base/base.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include "extract/extract.h"
#include "extract/partition.h"
#include "explain/violation.h"
#include "replay/flip.h"

#include <stdlib.h>

enum { SECONDS = 3, QUESTION_SECONDS = 1, MAX_WRITES = 8 };

/* ---- prediction on the run of the flip --------------------------------------------------- */

static void copy_bug_class(void *ctx, struct finding *b)
{
	struct finding *f = ctx;

	if (b->kind == FAULT_BRANCH && b->flip.class_ == FLIP_BUG && f->flip.class_ != FLIP_BUG) {
		free(f->flip.why);
		f->flip.class_ = FLIP_BUG;
		f->flip.why = xasprintf("in a run with the other outcome, %s",
			b->flip.why ? b->flip.why : "it fails");
	}
	finding_free(b);
}

static int predict_branch(
	struct finding *f, const struct predict_options *base, const struct ctp *c)
{
	struct predict_options opt = *base;
	struct predict_stats st = {0};
	struct map only = {0};
	int rc;

	*map_put(&only, (uint64_t)f->flip.func << 32 | f->flip.insn) = 1;
	opt.kinds = 1u << FAULT_BRANCH;
	opt.seconds = SECONDS;
	opt.jobs = 1;
	opt.skip = NULL;
	opt.only = &only;
	opt.found = copy_bug_class;
	opt.progress = NULL;
	opt.ctx = f;
	rc = predict(c, &opt, &st);
	predict_stats_release(&st);
	map_release(&only);
	return rc;
}

static int predict_from_trace(struct finding *f, const struct predict_options *opt, const char *dir)
{
	struct extract_options xo = {.jobs = 1, .reduce = true};
	struct trace *t = trace_open(dir);
	bool short_run = t && !partition_wanted(t); /* else the class stays as it is */
	const struct ctp *c = short_run ? extract(t, &xo) : NULL;
	int rc = !t || short_run ? -1 : 0;

	if (c) {
		rc = predict_branch(f, opt, c);
		ctp_free(c);
	}
	if (t)
		trace_close(t);
	return rc;
}

/* ---- the schedule of the run ------------------------------------------------------------- */

/* The event of the branch in the recorded run; CTP_NONE. */
static uint32_t find_branch(const struct ctp *c, const struct finding *f)
{
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_BRANCH && ev->thread == f->flip.thread &&
			ev->func == f->flip.func && ev->insn == f->flip.insn &&
			ev->index == f->flip.index + 1)
			return e;
	}
	return CTP_NONE;
}

static bool depends_on(const struct ctp *c, term_t t, uint32_t cell)
{
	const struct term_syms *syms = term_syms(c->ts, t);

	vec_each (&c->accesses, a)
		for (uint32_t i = 0; i < syms->n; i++)
			if (c->accesses.at[a].cell == cell &&
				c->accesses.at[a].sym.id == syms->at[i].id)
				return true;
	return false;
}

static bool writes_operand_of(const struct ctp *c, const struct ctp_event *w, term_t cond)
{
	if (!ctp_is_access(w->kind))
		return false;
	for (uint32_t a = w->first; a < w->first + w->n; a++)
		if (c->accesses.at[a].value.id && depends_on(c, cond, c->accesses.at[a].cell))
			return true;
	return false;
}

/* The last guard before the event in its thread; CTP_NONE. */
static uint32_t find_guard_before(const struct ctp *c, uint32_t event)
{
	uint32_t e = ctp_pred(c, event);

	while (e != CTP_NONE && !ctp_is_guard(ctp_at(c, e)->kind))
		e = ctp_pred(c, e);
	return e;
}

/* Queries for a linearization in which `guard` fails while the thread of `write` has passed its
 * last guard before the write but has not written. Puts the schedule into out. */
static bool find_flip_before_write(
	struct asker *a, const struct ctp *c, uint32_t guard, uint32_t write, struct finding *out)
{
	uint32_t decided = find_guard_before(c, write);
	struct violation v = {.kind = FAULT_BRANCH,
		.key = {guard, decided},
		.nkeys = decided == CTP_NONE ? 1 : 2};
	struct query q = {0};
	struct model_result r = {0};
	bool yes;

	query_at(&q, guard);
	query_holds(&q, term_not(c->ts, ctp_at(c, guard)->cond));
	query_add(&q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = write});
	query_end_clause(&q);
	if (decided != CTP_NONE)
		query_run(&q, decided);
	asker_ask(a, &q, &r);
	yes = r.answer == ANSWER_YES;
	if (yes)
		schedule_of(c, &v, &r.witness, out);
	model_result_release(&r);
	query_release(&q);
	return yes;
}

/* A copy of f with the schedule of such a linearization; NULL if there is none. */
static struct finding *reschedule_before_write(const struct finding *f, const struct ctp *c)
{
	struct model_limits lim = {.seconds = QUESTION_SECONDS, .switches = -1};
	uint32_t guard = find_branch(c, f), asked = 0;
	struct asker *a;
	struct finding *out = NULL;

	if (guard == CTP_NONE)
		return NULL;
	a = asker_new(c, MODEL_CTP, &lim, 0);
	vec_each (&c->events, w) {
		const struct ctp_event *ev = ctp_at(c, w);

		if (ev->thread == f->flip.thread ||
			!writes_operand_of(c, ev, ctp_at(c, guard)->cond))
			continue;
		if (asked++ == MAX_WRITES)
			break;
		out = finding_copy(f);
		out->moves.n = 0;
		if (find_flip_before_write(a, c, guard, w, out))
			break;
		finding_free(out);
		out = NULL;
	}
	asker_free(a);
	return out;
}

int branch_rerun(struct finding *f, const struct ctp *c, const struct predict_options *opt)
{
	struct flip_seen seen = {0};
	struct finding *run;
	char *base, *dir;
	int rc;

	if (f->status != FINDING_CONFIRMED || f->flip.class_ != FLIP_UNCLEAR)
		return 0;
	run = reschedule_before_write(f, c);
	base = temporary_directory("branch");
	if (!base)
		return -1;
	dir = xasprintf("%s/trace", base);
	rc = replay_flip(run ? run : f, NULL, dir, &seen);
	if (!rc && seen.flipped)
		rc = predict_from_trace(f, opt, dir);
	flip_seen_release(&seen);
	remove_directory(base);
	if (run)
		finding_free(run);
	free(dir);
	free(base);
	return rc;
}
