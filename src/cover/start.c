#include "cover/start.h"

#include "base/base.h"
#include "base/debug.h"
#include "cover/output.h"
#include "ir/cfg.h"

#include <stdlib.h>
#include <string.h>

struct start {
	struct start_options opt;
	struct executor *x;
	struct saved *from;
	VEC(term_t) facts;               /* the path condition of the initial state */
	VEC(struct vec_u32) constraints; /* conjunctions that are not covered yet */
	VEC(struct covered) schedules;
	VEC(struct start_reason) reasons;
	VEC(struct start_failure) failures;
	bool stale, complete;
};

struct start *start_new(const struct start_options *opt)
{
	struct start *e = xcalloc(1, sizeof *e);

	e->opt = *opt;
	e->x = opt->x;
	return e;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static void add_reason(struct start *e, const char *why)
{
	vec_each (&e->reasons, i)
		if (!strcmp(e->reasons.at[i].why, why)) {
			e->reasons.at[i].paths++;
			return;
		}
	vec_push(&e->reasons, (struct start_reason){xstrdup(why), 1});
}

static struct vec_u32 extend(const struct vec_u32 *c, term_t t)
{
	struct vec_u32 n = {0};

	vec_each (c, i)
		vec_push(&n, c->at[i]);
	vec_push(&n, t.id);
	return n;
}

static bool has_schedule(const struct path *p)
{
	return p->end != PATH_INFEASIBLE && p->end != PATH_STOPPED;
}

/* Whether inputs exist for which the conditions and the condition hold. */
static bool may_hold(struct start *e, const struct vec_u32 *when, term_t c)
{
	VEC(term_t) all = {0};
	bool may;

	vec_each (&e->facts, i)
		vec_push(&all, e->facts.at[i]);
	vec_each (when, i)
		vec_push(&all, ((term_t){when->at[i]}));
	may = ask_may(e->x->ask, all.at, all.n, c) != ASK_NO;
	vec_release(&all);
	return may;
}

/* Each path has its own symbols for these results: conditions over them say nothing about others. */
static bool has_output_result(struct terms *ts, term_t c)
{
	const struct term_syms *syms = term_syms(ts, c);

	for (uint32_t i = 0; i < syms->n; i++)
		if (!strncmp(term_name(ts, syms->at[i]), OUTPUT_RESULT, strlen(OUTPUT_RESULT)))
			return true;
	return false;
}

static void add_condition(struct start *e, term_t b, struct vec_u32 *when)
{
	term_t other = term_not(e->x->ts, b);
	u128 v;

	vec_each (when, i)
		if (when->at[i] == b.id)
			return;
	if (term_is_const(e->x->ts, b, &v))
		return;
	if (has_output_result(e->x->ts, b))
		add_reason(e, "the result of an output function decides a branch");
	if (may_hold(e, when, other))
		vec_push(&e->constraints, extend(when, other));
	vec_push(when, b.id);
}

/* The block that the branch at the step went to, or IR_NONE. */
static uint32_t edge_target(const struct start *e, const struct path *p, uint32_t step)
{
	const struct trace_step *st = &p->steps.at[step];
	uint32_t insn = p->frames.at[st->frame].stop;

	for (uint32_t i = step + 1; i < p->steps.n; i++)
		if (p->steps.at[i].frame == st->frame) {
			insn = p->steps.at[i].insn;
			break;
		}
	return insn == IR_NONE ? IR_NONE : cfg_block_of(&e->x->facts->p->funcs.at[st->func], insn);
}

/* Whether the process ends where the branch has the other outcome. Runs that end there follow a prefix
 * of the schedule (4.1.1). */
static bool ends_otherwise(
	const struct start *e, const struct path *p, const struct trace_decision *d)
{
	const struct trace_step *st = &p->steps.at[d->step];
	const struct ir_func *f = &e->x->facts->p->funcs.at[st->func];
	const struct ir_insn *in = &f->insns.at[st->insn];
	uint32_t to, others = 0, ends = 0;

	if (ir_ops[in->op].shape != IR_S_CBR)
		return false;
	to = edge_target(e, p, d->step);
	for (uint32_t k = 0; k < ir_insn_nedges(in); k++) {
		uint32_t b = f->edges.at[ir_insn_edge(f, in, k)].to;

		if (b == to)
			continue;
		others++;
		ends += exits_block(e->x->facts->exits, st->func, b);
	}
	return others && others == ends;
}

/* Adds the constraints of the inputs that leave the path at one of its conditions. */
static void add_alternatives(struct start *e, const struct vec_u32 *constraint,
	const struct path *p, const struct slice *s, struct vec_u32 *when)
{
	vec_each (constraint, i)
		vec_push(when, constraint->at[i]);
	if (p->end != PATH_EPOCH) {
		vec_each (&s->conditions, i)
			add_condition(e, s->conditions.at[i], when);
		return;
	}
	vec_each (&p->decisions, i)
		if (slice_has_decision(s, p, &p->decisions.at[i]) ||
			!ends_otherwise(e, p, &p->decisions.at[i]))
			add_condition(e, p->decisions.at[i].holds, when);
}

/* Adds the constraint to the schedule, or the schedule to the set. */
static void add_schedule(struct start *e, struct schedule *s, struct vec_u32 when, int next)
{
	struct covered *c;

	vec_each (&e->schedules, i)
		if (schedule_same(e->schedules.at[i].schedule, s) &&
			e->schedules.at[i].next == next) {
			schedule_free(s);
			vec_push(&e->schedules.at[i].when, when);
			e->schedules.at[i].paths++;
			return;
		}
	c = vec_add(&e->schedules);
	c->schedule = s;
	c->paths = 1;
	c->next = next;
	vec_push(&c->when, when);
}

static void note_failure(struct start *e, enum path_end end)
{
	char *report = xstrdup(e->x->res.report.s ? e->x->res.report.s : "");
	struct testcase *tc;

	vec_each (&e->failures, i)
		if (!strcmp(e->failures.at[i].report, report)) {
			e->failures.at[i].paths++;
			free(report);
			return;
		}
	tc = e->opt.confirm(e->opt.ctx, end, report);
	vec_push(&e->failures, (struct start_failure){end, report, tc, 1});
}

static void cover_one(struct start *e, const struct vec_u32 *constraint)
{
	struct path path = {0};
	struct slice slice = {0};
	struct vec_u32 when = {0};
	int next = -1;

	++*e->opt.paths;
	if (executor_run(e->x, e->from, constraint, &path)) {
		vec_each (&path.why, i)
			add_reason(e, path.why.at[i]);
		slice_compute(e->x->facts, &path, &slice);
		add_alternatives(e, constraint, &path, &slice, &when);
		LOG(cover, "path %llu: %u steps, %u in the slice, %u conditions of %u",
			(unsigned long long)*e->opt.paths, path.steps.n, slice.nsteps,
			slice.conditions.n, path.decisions.n);
		if (path.end == PATH_EPOCH)
			next = e->opt.arrive(e->opt.ctx, &path, &e->stale);
		if (has_schedule(&path))
			add_schedule(e, schedule_make(&path), when, next);
		else
			vec_release(&when);
		if (path.end == PATH_FAULT || path.end == PATH_DEADLOCK)
			note_failure(e, path.end);
		slice_release(&slice);
	}
	path_release(&path);
}

/* Schedules of runs that end early are prefixes of others (4.1.1). */
static void merge_prefixes(struct start *e)
{
	for (uint32_t i = 0; i < e->schedules.n; i++) {
		struct covered *a = &e->schedules.at[i];

		if (a->schedule->end != PATH_EXIT && a->schedule->end != PATH_FAULT)
			continue;
		for (uint32_t k = 0; k < e->schedules.n; k++) {
			struct covered *b = &e->schedules.at[k];

			if (k == i || !schedule_is_prefix(a->schedule, b->schedule))
				continue;
			vec_each (&a->when, w)
				vec_push(&b->when, a->when.at[w]);
			b->paths += a->paths;
			vec_release(&a->when);
			schedule_free(a->schedule);
			e->schedules.at[i--] = e->schedules.at[--e->schedules.n];
			break;
		}
	}
}

static void release_results(struct start *e)
{
	vec_each (&e->constraints, i)
		vec_release(&e->constraints.at[i]);
	vec_each (&e->schedules, i) {
		vec_each (&e->schedules.at[i].when, k)
			vec_release(&e->schedules.at[i].when.at[k]);
		vec_release(&e->schedules.at[i].when);
		schedule_free(e->schedules.at[i].schedule);
	}
	vec_each (&e->reasons, i)
		free(e->reasons.at[i].why);
	vec_each (&e->failures, i) {
		free(e->failures.at[i].report);
		testcase_free(e->failures.at[i].tc);
	}
	vec_release(&e->facts);
	vec_release(&e->failures);
	vec_release(&e->constraints);
	vec_release(&e->schedules);
	vec_release(&e->reasons);
}

/* Notes the path condition of the initial state. */
static void take_facts(struct start *e)
{
	machine_restore(e->x->m, e->from);
	vec_each (&e->x->sym.path, i)
		vec_push(&e->facts, e->x->sym.path.at[i]);
}

int start_search(struct start *e, struct saved *from, bool *stale)
{
	release_results(e);
	e->from = from;
	e->stale = e->complete = false;
	take_facts(e);
	vec_push(&e->constraints, (struct vec_u32){0});
	while (e->constraints.n && !e->stale && !e->x->run.cut) {
		struct vec_u32 c = vec_pop(&e->constraints);

		if (*e->opt.max_paths && *e->opt.paths >= *e->opt.max_paths) {
			add_reason(e, "the limit of paths was reached (--max-paths)");
			vec_push(&e->constraints, c);
			break;
		}
		cover_one(e, &c);
		vec_release(&c);
	}
	if (e->x->run.cut && e->constraints.n)
		add_reason(e, e->x->run.cut);
	if (!e->opt.no_prefixes)
		merge_prefixes(e);
	*stale = e->stale;
	e->complete = !e->constraints.n && !e->reasons.n && !e->stale;
	return e->complete ? 0 : -1;
}

/* ---- results ------------------------------------------------------------------------------------------ */

const struct covered *start_schedules(const struct start *e, uint32_t *n)
{
	*n = e->schedules.n;
	return e->schedules.at;
}

const struct start_reason *start_reasons(const struct start *e, uint32_t *n)
{
	*n = e->reasons.n;
	return e->reasons.at;
}

const struct start_failure *start_failures(const struct start *e, uint32_t *n)
{
	*n = e->failures.n;
	return e->failures.at;
}

bool start_is_complete(const struct start *e)
{
	return e->complete;
}

void start_free(struct start *e)
{
	if (!e)
		return;
	release_results(e);
	free(e);
}
