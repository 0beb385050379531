/* Queries as assumptions, assignments of the solver as linearizations, and model_ask(). */
#include "model/model_internal.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

#include <assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* -- atoms -- */

static lit_t before_literal(struct model *m, uint32_t a, uint32_t b)
{
	lit_t xa = model_x(m, a), xb = model_x(m, b), at, o, both, l;
	uint64_t *kept;

	if (xa == LIT_FALSE || a == b)
		return LIT_FALSE;
	kept = map_put(&m->before_lits, (uint64_t)a << 32 | b);
	if (*kept)
		return (lit_t)*kept;
	at = model_at(m, b);
	o = xb == LIT_FALSE ? LIT_FALSE : model_before(m, a, b);
	both = solve_bool(m->q); /* b is executed and a comes before it */
	model_or(m, lit_not(both), xb);
	model_or(m, lit_not(both), o);
	model_or(m, both, lit_not(xb), lit_not(o));
	l = solve_bool(m->q);
	model_or(m, lit_not(l), xa);
	model_or(m, lit_not(l), at, both);
	model_or(m, l, lit_not(xa), lit_not(at));
	model_or(m, l, lit_not(xa), lit_not(both));
	*map_put(&m->before_lits, (uint64_t)a << 32 | b) = l;
	return l;
}

static lit_t atom_literal(struct model *m, const struct atom *a)
{
	lit_t l = LIT_FALSE;

	switch ((enum atom_kind)a->kind) {
	case ATOM_RUN: l = model_run(m, a->a); break;
	case ATOM_AT: l = model_at(m, a->a); break;
	case ATOM_ASLEEP: return model_asleep(m, a->a);
	case ATOM_BEFORE: l = before_literal(m, a->a, a->b); break;
	case ATOM_HOLDS:
		return model_holds(m, a->negated ? term_not(m->c->ts, a->term) : a->term);
	case ATOM_SPINS: return model_spins(m, a->a, a->term);
	}
	return a->negated ? lit_not(l) : l;
}

/* The query as assumptions; false: a clause of it is constantly false. */
static bool assume_query(struct model *m, const struct query *q, struct vec_u32 *assume)
{
	struct vec_u32 some = {0};
	uint32_t i = 0;
	bool ok = true;

	bitset_clear(&m->named);
	vec_each (&q->atoms, k)
		if (q->atoms.at[k].kind != ATOM_HOLDS)
			bitset_add(&m->named, ctp_at(m->c, q->atoms.at[k].a)->thread);
	vec_each (&q->clauses, k) {
		uint32_t end = q->clauses.at[k];
		lit_t l;

		assert(end >= i && end <= q->atoms.n);

		if (end == i + 1) {
			l = atom_literal(m, &q->atoms.at[i++]);
		} else {
			l = solve_bool(m->q);
			vec_clear(&some);
			vec_push(&some, lit_not(l));
			for (; i < end; i++) {
				assert(q->atoms.at[i].kind != ATOM_ASLEEP &&
					q->atoms.at[i].kind != ATOM_SPINS);
				vec_push(&some, atom_literal(m, &q->atoms.at[i]));
			}
			model_clause(m, some.at, some.n);
			vec_push(&m->once, l);
		}
		ok &= l != LIT_FALSE;
		if (l != LIT_TRUE)
			vec_push(assume, l);
	}
	vec_release(&some);
	return ok;
}

/* Literals of this query only are false from now on. */
static void forget_query(struct model *m)
{
	vec_each (&m->holds, i)
		solve_unit(m->q, lit_not(m->holds.at[i].lit));
	vec_each (&m->once, i)
		solve_unit(m->q, lit_not(m->once.at[i]));
	vec_clear(&m->holds);
	vec_clear(&m->once);
}

/* -- the assignment as a linearization -- */

struct placed {
	uint32_t event;
	uint64_t key;
};

static int by_key(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* A guard without a node follows its predecessor immediately. */
void model_linearize(struct model *m)
{
	VEC(struct placed) at = {0};

	vec_each (&m->c->threads, t) {
		uint64_t key = 0;

		if (!model_runs(m, t))
			continue;
		for (uint32_t e = m->lo.at[t]; e < m->hi.at[t]; e++) {
			uint32_t node = model_node_of(m, e);

			if (!solve_true(m->q, model_x(m, e)))
				break;
			if (m->segmented)
				key = model_segment(m, e);
			else if (node != NODE_NONE)
				key = solve_position(m->q, node) + 1;
			vec_push(&at, (struct placed){e, key});
		}
	}
	if (at.n)
		qsort(at.at, at.n, sizeof *at.at, by_key);
	vec_clear(&m->linearization);
	vec_each (&at, i)
		vec_push(&m->linearization, at.at[i].event);
	vec_release(&at);
}

/* -- the answer -- */

static const char *stage_name(const struct model *m)
{
	switch (solve_stats(m->q)->stage) {
	case SOLVE_LAZY: return "lazy";
	case SOLVE_EAGER: return "eager";
	case SOLVE_Z3: return "z3";
	}
	return "lazy";
}

enum sat_result model_check(
	struct model *m, const struct vec_u32 *assume, const struct solve_limits *sl)
{
	struct solve_limits left = *sl; /* the time is for all calls together */
	double until = clock_seconds() + sl->seconds;

	for (;;) {
		enum sat_result r = solve_check(m->q, assume->at, assume->n, &left);

		if (r != SAT_SAT || !m->failed.n)
			return r;
		vec_each (&m->failed, i)
			model_guard(m, m->failed.at[i]);
		if (m->spoilt)
			return SAT_UNKNOWN;
		if (m->segmented) /* the new reads order events: count switches between them too */
			model_bound_more(m);
		left.seconds = until - clock_seconds();
		if (sl->seconds > 0 && left.seconds <= 0)
			return SAT_UNKNOWN;
	}
}

static const char *cannot_ask(const struct model *m)
{
	if (m->f->wrong)
		return m->f->wrong;
	if (!m->c->order_exact && m->from > 0)
		return "the observed order does not explain all recorded values";
	return NULL;
}

static struct solve_limits limits_of(const struct model *m, const struct model_limits *lim)
{
	struct solve_limits sl = {
		.seconds = lim && lim->seconds > 0 ? lim->seconds : 10,
		.conflicts = lim ? lim->conflicts : 0,
		.z3_seconds = lim ? lim->z3_seconds : 0,
		.eager = m->only != MODEL_ALL_STAGES,
	};

	if (m->only == MODEL_Z3_ONLY)
		sl.gates = 1;
	return sl;
}

/* Each query is written twice: before it is asked, in case that the solver does not end; then again
 * with the guards that were encoded meanwhile and the answer. Workers write to one folder. */
static void dump_query(struct model *m, const struct model_limits *lim,
	const struct vec_u32 *assume, enum sat_result status)
{
	char *path;

	if (!lim || !lim->dump)
		return;
	path = xasprintf("%s/window-%u-%u-process-%d-query-%u.smt2", lim->dump, m->from, m->to,
		(int)getpid(), m->asked);
	solve_dump(m->q, assume->at, assume->n, status, path);
	free(path);
}

static void make_witness(struct model *m, const struct query *q, struct vec_u32 *assume, uint32_t n,
	struct model_result *out)
{
	struct shortening s = {m->f, m->mhb, m->sim, m->from};
	struct vec_u32 events = {0};

	vec_each (&m->linearization, i)
		vec_push(&events, m->linearization.at[i]);
	assert_witness(&s, q, &events);
	assume->n = n; /* without the bound */
	m->segmented = false;
	minimize_witness(m, q, assume, &events);
	assert_witness(&s, q, &events);
	out->answer = ANSWER_YES;
	fill_witness(&s, m->kind, &events, &out->witness);
	vec_release(&events);
}

/* Tries at most 0, 1, 2 … switches. An answer whose core does not contain the bound is final. */
static enum sat_result check_bounded(struct model *m, struct vec_u32 *assume,
	const struct solve_limits *sl, uint32_t max, bool *blamed)
{
	enum sat_result r = SAT_UNSAT;
	uint32_t n = assume->n;

	m->segmented = true;
	for (uint32_t k = 0; k <= max; k++) {
		assume->n = n;
		model_bound_assume(m, max, k, assume);
		r = model_check(m, assume, sl);
		*blamed = r == SAT_UNSAT && model_bound_in_core(m);
		if (r != SAT_UNSAT || !*blamed)
			break;
	}
	return r;
}

void model_ask(struct model *m, const struct query *q, const struct model_limits *lim,
	struct model_result *out)
{
	struct vec_u32 assume = {0};
	struct solve_limits sl = limits_of(m, lim);
	bool bound = lim && lim->switches >= 0, blamed = false;
	enum sat_result r;
	uint32_t asked;

	*out = (struct model_result){.answer = ANSWER_UNKNOWN, .why = cannot_ask(m)};
	out->stage = "static";
	if (out->why)
		return;
	if (m->kind != MODEL_CONTROL && m->only == MODEL_ALL_STAGES && lemma_refutes(m->lemmas, q)) {
		*out = (struct model_result){.answer = ANSWER_NO, .stage = "lemma"};
		return;
	}
	m->asked++;
	m->until = clock_seconds() + sl.seconds;
	m->memory = lim ? lim->memory : 0;
	vec_clear(&m->failed);
	r = assume_query(m, q, &assume) ? SAT_UNKNOWN : SAT_UNSAT;
	asked = assume.n;
	if (m->spoilt) {
		r = SAT_UNKNOWN;
	} else if (r != SAT_UNSAT) {
		dump_query(m, lim, &assume, SAT_UNKNOWN);
		r = bound ? check_bounded(m, &assume, &sl, (uint32_t)lim->switches, &blamed)
			  : model_check(m, &assume, &sl);
		dump_query(m, lim, &assume, r);
		out->stage = stage_name(m);
	}
	switch (r) {
	case SAT_SAT: make_witness(m, q, &assume, asked, out); break;
	case SAT_UNSAT:
		out->answer = ANSWER_NO;
		out->bounded = blamed || m->from > 0 || m->to < m->f->order.n;
		break;
	case SAT_UNKNOWN:
		out->why = m->spoilt ? m->spoilt : sl.conflicts ? "the solver reached its limit of conflicts"
					: "the solver ran out of time";
		break;
	}
	m->segmented = false;
	m->until = 0;
	if (!m->spoilt)
		forget_query(m);
	vec_release(&assume);
}
