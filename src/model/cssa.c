/* The formula of cssa.h as a whole: literals, path conditions, the query, and the decision. */
#include "model/cssa_internal.h"

#include "base/base.h"
#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

enum { MAX_SIZE = 8000000 }; /* literals in clauses */

static const char TOO_LARGE[] = "the formula of this encoding is too large";
static const char OUT_OF_TIME[] = "the solver ran out of time";

struct cssa *cssa_new(const struct ctp *c, enum model_kind kind)
{
	struct cssa *z = xcalloc(1, sizeof *z);

	*z = (struct cssa){.c = c, .kind = kind};
	vec_each (&c->threads, t)
		z->merged |= c->threads.at[t].alt != 0;
	cssa_find_objects(z);
	cssa_find_variables(z);
	return z;
}

void cssa_free(struct cssa *z)
{
	if (!z)
		return;
	cssa_free_objects(z);
	vec_each (&z->cells, i)
		vec_release(&z->cells.at[i].defs);
	vec_release(&z->cells);
	vec_release(&z->uses);
	map_release(&z->access_of);
	vec_release(&z->access_event);
	map_release(&z->used);
	vec_release(&z->g);
	vec_release(&z->known);
	vec_release(&z->at);
	vec_release(&z->wakes);
	free(z);
}

/* ---- literals and clauses ---------------------------------------------------------------- */

bool cssa_gives_up(struct cssa *z)
{
	z->late = z->late || clock_seconds() > z->until;
	return z->late || z->size >= MAX_SIZE;
}

void cssa_clause(struct cssa *z, const lit_t *lits, uint32_t n)
{
	struct vec_u32 kept = {0};
	bool holds = false;

	for (uint32_t i = 0; i < n; i++) {
		holds |= lits[i] == LIT_TRUE;
		if (lits[i] != LIT_FALSE)
			vec_push(&kept, lits[i]);
	}
	z->size += kept.n + 1;
	if (!holds && z->size < MAX_SIZE)
		solve_clause(z->q, kept.at, kept.n);
	vec_release(&kept);
}

/* The node of an event is its index. */
lit_t cssa_before(struct cssa *z, uint32_t a, uint32_t b)
{
	if (ctp_at(z->c, a)->thread == ctp_at(z->c, b)->thread)
		return a < b ? LIT_TRUE : LIT_FALSE;
	return solve_before(z->q, a, b);
}

void cssa_one_before(struct cssa *z, lit_t l, const struct vec_u32 *from, uint32_t e)
{
	struct vec_u32 some = {0};

	vec_push(&some, lit_not(l));
	vec_each (from, i) {
		lit_t one = solve_bool(z->q);

		cssa_or(z, lit_not(one), cssa_g(z, from->at[i]));
		cssa_or(z, lit_not(one), cssa_before(z, from->at[i], e));
		vec_push(&some, one);
	}
	cssa_clause(z, some.at, some.n);
	vec_release(&some);
}

/* l if and only if a and b */
static void define_and(struct cssa *z, lit_t l, lit_t a, lit_t b)
{
	cssa_or(z, lit_not(l), a);
	cssa_or(z, lit_not(l), b);
	cssa_or(z, l, lit_not(a), lit_not(b));
}

static lit_t and_literal(struct cssa *z, lit_t a, lit_t b)
{
	lit_t l = solve_bool(z->q);

	define_and(z, l, a, b);
	return l;
}

lit_t cssa_at(struct cssa *z, uint32_t e)
{
	const struct ctp *c = z->c;
	uint32_t before = ctp_pred(c, e), thread = ctp_at(c, e)->thread;
	lit_t l;

	if (z->at.at[e] != LIT_NONE)
		return z->at.at[e];
	l = and_literal(
		z, before == CTP_NONE ? LIT_TRUE : cssa_g(z, before), lit_not(cssa_g(z, e)));
	vec_each (&c->threads, t) /* no other alternative has begun */
		if (t != thread && ctp_group(c, t) == ctp_group(c, thread) && c->threads.at[t].n)
			l = and_literal(z, l, lit_not(cssa_g(z, c->threads.at[t].first)));
	z->at.at[e] = l;
	return l;
}

/* ---- program order and path conditions --------------------------------------------------- */

static void start_query(struct cssa *z, double until)
{
	const struct ctp *c = z->c;

	z->q = solve_new(c->ts);
	z->size = 0;
	z->until = until;
	z->late = false;
	vec_clear(&z->g);
	vec_clear(&z->known);
	vec_clear(&z->at);
	vec_clear(&z->wakes);
	vec_resize(&z->known, c->accesses.n);
	vec_resize(&z->at, c->events.n);
	vec_each (&c->events, e) {
		solve_node(z->q);
		vec_push(&z->g, ctp_at(c, e)->flags & CTP_PENDING ? LIT_FALSE : solve_bool(z->q));
	}
}

/* Whether the condition of a guard is part of this kind of model. */
static bool has_condition(const struct cssa *z, const struct ctp_event *ev)
{
	if (!ctp_is_guard(ev->kind) || !ev->cond.id || z->kind == MODEL_CONTROL)
		return false;
	return z->kind == MODEL_CTP || ev->kind == CTP_ASSERT || ev->kind == CTP_DIVISOR;
}

static void encode_threads(struct cssa *z)
{
	vec_each (&z->c->events, e) {
		const struct ctp_event *ev = ctp_at(z->c, e);
		uint32_t before = ctp_pred(z->c, e);

		if (before != CTP_NONE) {
			solve_edge(z->q, before, e);
			cssa_or(z, lit_not(cssa_g(z, e)), cssa_g(z, before));
		}
		if (has_condition(z, ev) && cssa_g(z, e) != LIT_FALSE) {
			solve_assert_if(z->q, cssa_g(z, e), ev->cond);
			cssa_need_known(z, cssa_g(z, e), ev->cond, false);
		}
	}
}

/* ---- the query --------------------------------------------------------------------------- */

/* a comes before b, or is executed where the thread of b stands AT b */
static lit_t before_atom(struct cssa *z, uint32_t a, uint32_t b)
{
	lit_t both = and_literal(z, cssa_g(z, b), a == b ? LIT_FALSE : cssa_before(z, a, b));
	lit_t neither = and_literal(z, lit_not(both), lit_not(cssa_at(z, b)));

	return and_literal(z, cssa_g(z, a), lit_not(neither));
}

static lit_t holds_atom(struct cssa *z, const struct atom *a)
{
	struct terms *ts = z->c->ts;
	lit_t l = solve_bool(z->q);
	u128 k;

	if (z->kind == MODEL_CONTROL && !term_is_const(ts, a->term, &k)) { /* any value */
		const struct term_syms *syms = term_syms(ts, a->term);

		for (uint32_t i = 0; i < syms->n; i++) {
			uint64_t access = map_get_or(&z->access_of, syms->at[i].id, 0);
			uint32_t e = access ? z->access_event.at[access - 1] : CTP_NONE;

			if (access)
				cssa_or(z, lit_not(l), cssa_g(z, e), cssa_at(z, e));
		}
		return l;
	}
	solve_assert_if(z->q, l, a->negated ? term_not(ts, a->term) : a->term);
	cssa_need_known(z, l, a->term, true);
	return l;
}

static lit_t atom_literal(struct cssa *z, const struct atom *a)
{
	lit_t l = LIT_FALSE;

	switch ((enum atom_kind)a->kind) {
	case ATOM_RUN: l = cssa_g(z, a->a); break;
	case ATOM_AT: l = cssa_at(z, a->a); break;
	case ATOM_BEFORE: l = before_atom(z, a->a, a->b); break;
	case ATOM_ASLEEP: return cssa_asleep(z, a->a);
	case ATOM_SPINS: return cssa_spins(z, a->a, a->term);
	case ATOM_HOLDS: return holds_atom(z, a);
	}
	return a->negated ? lit_not(l) : l;
}

static void encode_query(struct cssa *z, const struct query *q)
{
	struct vec_u32 some = {0};
	uint32_t i = 0;

	vec_each (&q->clauses, k) {
		vec_clear(&some);
		for (; i < q->clauses.at[k]; i++)
			vec_push(&some, atom_literal(z, &q->atoms.at[i]));
		cssa_clause(z, some.at, some.n);
	}
	vec_release(&some);
}

/* What the encoding cannot express; NULL. */
static const char *cannot_ask(struct cssa *z, const struct query *q)
{
	vec_each (&z->c->events, e) /* a read of a pipe comes after the write of its bytes */
		if (ctp_at(z->c, e)->kind == CTP_HIDDEN)
			return "library calls that may pass data between threads are not encoded";
	vec_each (&q->atoms, i) {
		const struct atom *a = &q->atoms.at[i];

		if (a->kind == ATOM_SPINS && z->kind != MODEL_CTP)
			return "rounds of loops are encoded in trace programs only";
		if (a->kind != ATOM_ASLEEP)
			continue;
		if (ctp_wait(ctp_at(z->c, a->a)) == CTP_NONE)
			return "the wait of a thread that sleeps is not known";
		if (cssa_object(z, ctp_at(z->c, a->a)->object)->ordered)
			return "a thread sleeps for a condition variable that keeps its order";
	}
	return z->wrong;
}

/* ---- the decision ------------------------------------------------------------------------ */

struct placed {
	uint32_t event, position;
};

static int by_position(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->position < y->position ? -1 : x->position > y->position;
}

static void read_linearization(const struct cssa *z, struct vec_u32 *events)
{
	VEC(struct placed) all = {0};

	vec_each (&z->g, e)
		if (solve_true(z->q, z->g.at[e]))
			vec_push(&all, (struct placed){e, solve_position(z->q, e)});
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_position);
	vec_clear(events);
	vec_each (&all, i)
		vec_push(events, all.at[i].event);
	vec_release(&all);
}

/* Written before the query is asked, and again with the answer. Workers write to one folder. */
static void dump_query(const struct cssa *z, const struct model_limits *lim, enum sat_result status)
{
	char *path;

	if (!lim || !lim->dump)
		return;
	path = xasprintf("%s/cssa-process-%d-query-%u.smt2", lim->dump, (int)getpid(), z->asked);
	solve_dump(z->q, NULL, 0, status, path);
	free(path);
}

enum sat_result cssa_decide(struct cssa *z, const struct query *q, const struct model_limits *lim,
	struct vec_u32 *events, const char **why)
{
	double until = clock_seconds() + (lim && lim->seconds > 0 ? lim->seconds : 10);
	struct solve_limits sl = {.z3_only = true, .z3_until = until};
	enum sat_result r = SAT_UNKNOWN;

	z->asked++;
	*why = cannot_ask(z, q);
	if (*why)
		return SAT_UNKNOWN;
	start_query(z, until);
	encode_threads(z);
	cssa_encode_sync(z);
	cssa_encode_variables(z, q);
	encode_query(z, q);
	if (!cssa_gives_up(z)) {
		dump_query(z, lim, SAT_UNKNOWN);
		r = solve_check(z->q, NULL, 0, &sl);
		dump_query(z, lim, r);
	}
	if (r == SAT_UNKNOWN)
		*why = z->size >= MAX_SIZE ? TOO_LARGE : OUT_OF_TIME;
	if (r == SAT_SAT)
		read_linearization(z, events);
	solve_free(z->q);
	z->q = NULL;
	return r;
}
