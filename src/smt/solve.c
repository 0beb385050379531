#include "smt/solve.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/map.h"
#include "smt/blast.h"
#include "smt/problem.h"
#include "smt/z3_solver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_REFINEMENTS = 1000, DEFAULT_GATES = 4000000 };

struct solve {
	struct terms *ts;
	struct sat *sat;
	struct order *order;
	struct blast *blast;
	struct problem p;
	struct map lit_of; /* term -> literal */
	uint32_t blasted;  /* number of defs that are translated to circuits */

	solve_refine refine;
	void *refine_ctx;
	bool judging, gave_up;
	uint64_t refused_here; /* candidate models refuted in this stage */
	uint64_t max_refused;  /* limit of refused_here */

	struct problem_model model;
	struct vec_u32 core;
	struct strbuf why;
	const lit_t *assume; /* of the current check */
	uint32_t n_assume;
	struct solve_stats stats;
};

static enum sat_final judge(void *ctx);

struct solve *solve_new(struct terms *ts)
{
	struct solve *q = xcalloc(1, sizeof *q);
	struct sat_theory theory;

	q->ts = ts;
	q->sat = sat_new();
	q->order = order_new(q->sat);
	order_theory(q->order, &theory);
	theory.final = judge;
	theory.final_ctx = q;
	sat_set_theory(q->sat, &theory);
	q->p = (struct problem){.ts = ts, .order = q->order, .n_vars = lit_var(LIT_TRUE)};
	problem_model_init(&q->model, ts);
	strbuf_init(&q->why);
	return q;
}

void solve_free(struct solve *q)
{
	if (!q)
		return;
	blast_free(q->blast);
	order_free(q->order);
	sat_free(q->sat);
	problem_release(&q->p);
	map_release(&q->lit_of);
	problem_model_release(&q->model);
	vec_release(&q->core);
	strbuf_release(&q->why);
	free(q);
}

/* -- assertions -- */

/* Notes that the problem uses the variable of l. Variables of circuits, which the problem does not
 * use, can have numbers in between. */
static lit_t named(struct solve *q, lit_t l)
{
	q->p.n_vars = MAX(q->p.n_vars, lit_var(l));
	return l;
}

lit_t solve_bool(struct solve *q)
{
	return named(q, sat_var(q->sat));
}

void solve_phase(struct solve *q, lit_t l)
{
	sat_phase(q->sat, l);
}

void solve_clause(struct solve *q, const lit_t *lits, uint32_t n)
{
	vec_push(&q->p.clauses, n);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&q->p.clauses, lits[i]);
	sat_clause(q->sat, lits, n);
}

void solve_unit(struct solve *q, lit_t a)
{
	solve_clause(q, &a, 1);
}

void solve_implies(struct solve *q, lit_t a, lit_t b)
{
	lit_t l[2] = {lit_not(a), b};

	solve_clause(q, l, 2);
}

uint32_t solve_node(struct solve *q)
{
	return order_node(q->order);
}

void solve_edge(struct solve *q, uint32_t a, uint32_t b)
{
	if (!order_edge(q->order, a, b))
		solve_clause(q, NULL, 0);
}

lit_t solve_before(struct solve *q, uint32_t a, uint32_t b)
{
	return named(q, order_before(q->order, a, b));
}

void solve_order_if(struct solve *q, lit_t l, uint32_t a, uint32_t b)
{
	order_attach(q->order, l, a, b);
}

lit_t solve_lit(struct solve *q, term_t t)
{
	bool flip = term_op(q->ts, t) == TERM_NOT;
	uint64_t *at;
	u128 k;

	BUG_ON(term_width(q->ts, t) != 1);
	if (term_is_const(q->ts, t, &k))
		return k ? LIT_TRUE : LIT_FALSE;
	if (flip)
		t = term_arg(q->ts, t, 0);
	at = map_put(&q->lit_of, t.id);
	if (!*at) {
		*at = solve_bool(q);
		vec_push(&q->p.defs, (struct problem_def){(lit_t)*at, t, false});
	}
	return (lit_t)*at ^ (lit_t)flip;
}

void solve_assert(struct solve *q, term_t t)
{
	solve_assert_if(q, LIT_TRUE, t);
}

/* an equation of two terms that are not constant: cheaper bit by bit than with its own literal */
static bool plain_equation(const struct terms *ts, term_t t)
{
	u128 k;

	return term_op(ts, t) == TERM_EQ && !term_is_const(ts, term_arg(ts, t, 0), &k) &&
	       !term_is_const(ts, term_arg(ts, t, 1), &k);
}

void solve_assert_if(struct solve *q, lit_t l, term_t t)
{
	/* any other term gets a literal: assertions that share it can conflict without the data */
	if (plain_equation(q->ts, t))
		vec_push(&q->p.defs, (struct problem_def){l, t, true});
	else
		solve_implies(q, l, solve_lit(q, t));
}

/* -- candidate models -- */

void solve_set_refine(struct solve *q, solve_refine fn, void *ctx)
{
	q->refine = fn;
	q->refine_ctx = ctx;
}

void solve_refute(struct solve *q, const lit_t *lits, uint32_t n)
{
	BUG_ON(!q->judging);
	for (uint32_t i = 0; i < n; i++)
		BUG_ON(problem_true(&q->model, lits[i]));
	solve_clause(q, lits, n);
}

void solve_set_value(struct solve *q, term_t sym, u128 value)
{
	BUG_ON(!q->judging);
	term_assign_set(&q->model.values, sym, value);
	q->model.has_values = true;
}

static u128 current_bits(const struct solve *q, term_t t)
{
	u128 v = 0;

	for (unsigned i = 0; i < term_width(q->ts, t); i++)
		v |= (u128)(sat_current(q->sat, blast_bit(q->blast, t, i)) > 0) << i;
	return v;
}

/* copies the current assignment of the solver to q->model */
static void take_candidate(struct solve *q)
{
	struct problem_model *m = &q->model;

	vec_clear(&m->val);
	for (uint32_t v = 0; v <= q->p.n_vars; v++)
		vec_push(&m->val, (int8_t)sat_current(q->sat, 2 * v));
	vec_clear(&m->pos);
	for (uint32_t i = 0; i < order_n_nodes(q->order); i++)
		vec_push(&m->pos, order_position(q->order, i));
	term_assign_clear(&m->values);
	m->has_values = q->stats.stage == SOLVE_EAGER;
	for (uint32_t i = 0; m->has_values && i < terms_n_syms(q->ts); i++) {
		term_t sym = terms_sym_at(q->ts, i);

		if (q->blast && blast_has(q->blast, sym))
			term_assign_set(&m->values, sym, current_bits(q, sym));
	}
	for (uint32_t i = 0; m->has_values && q->blast && i < blast_n_reads(q->blast); i++) {
		term_t r = blast_read_at(q->blast, i);

		term_assign_cell(&m->values, term_arg(q->ts, r, 0),
			(uint64_t)current_bits(q, term_arg(q->ts, r, 1)),
			(uint8_t)current_bits(q, r));
	}
}

static enum solve_verdict ask(struct solve *q)
{
	enum solve_verdict v = SOLVE_ACCEPT;
	uint32_t before = q->p.clauses.n;

	q->stats.candidates++;
	if (q->refine) {
		q->judging = true;
		v = q->refine(q->refine_ctx, q);
		q->judging = false;
	}
	if (v == SOLVE_REFUTE) {
		BUG_ON(q->p.clauses.n == before);
		q->stats.refuted++;
		q->refused_here++;
	}
	if (v == SOLVE_GIVE_UP)
		q->gave_up = true;
	return v;
}

static void must_hold(struct solve *q)
{
	const char *wrong = problem_wrong(&q->p, q->assume, q->n_assume, &q->model);

	if (wrong)
		BUG("a model that is none: %s", wrong);
}

/* Without circuits the solver chooses the literals of terms freely: sets each to the value of its
 * term under the values of the symbols. */
static void take_truths(struct solve *q)
{
	vec_each (&q->p.defs, i) {
		struct problem_def d = q->p.defs.at[i];
		bool truth = term_value(&q->model.values, d.term) != 0;

		if (!d.only_if)
			q->model.val.at[lit_var(d.lit)] = truth != lit_negated(d.lit) ? 1 : -1;
	}
}

static enum sat_final judge(void *ctx)
{
	struct solve *q = ctx;

	take_candidate(q);
	switch (ask(q)) {
	case SOLVE_ACCEPT:
		if (q->stats.stage == SOLVE_LAZY && q->model.has_values)
			take_truths(q);
		must_hold(q);
		return SAT_FINAL_ACCEPT;
	case SOLVE_REFUTE:
		return q->refused_here < q->max_refused ? SAT_FINAL_AGAIN : SAT_FINAL_GIVE_UP;
	case SOLVE_GIVE_UP: break;
	}
	return SAT_FINAL_GIVE_UP;
}

/* -- stages -- */

static void because(struct solve *q, const char *stage, const char *what)
{
	strbuf_addf(&q->why, "%s%s: %s", q->why.n ? "; " : "", stage, what);
}

/* one solve with our own solver */
static enum sat_result run(struct solve *q, const char *stage, const struct sat_limits *limits)
{
	enum sat_result r;
	uint32_t n;
	const lit_t *core;

	q->refused_here = 0;
	q->gave_up = false;
	r = sat_solve(q->sat, q->assume, q->n_assume, limits);
	if (r == SAT_UNSAT) {
		core = sat_core(q->sat, &n);
		vec_clear(&q->core);
		for (uint32_t i = 0; i < n; i++)
			vec_push(&q->core, core[i]);
	}
	if (r == SAT_UNKNOWN)
		switch (sat_why(q->sat)) {
		case SAT_WHY_CONFLICTS: because(q, stage, "too many conflicts"); break;
		case SAT_WHY_TIME: because(q, stage, "out of time"); break;
		default:
			because(q, stage,
				q->gave_up ? "candidates could not be judged"
					   : "too many candidates refused");
			break;
		}
	return r;
}

static bool make_circuits(struct solve *q, uint64_t max_gates)
{
	if (!q->blast)
		q->blast = blast_new(q->ts, q->sat, max_gates);
	for (; q->blasted < q->p.defs.n; q->blasted++) {
		struct problem_def d = q->p.defs.at[q->blasted];

		if (!blast_imply(q->blast, d.lit, d.term) ||
			(!d.only_if &&
				!blast_imply(q->blast, lit_not(d.lit), term_not(q->ts, d.term)))) {
			because(q, "eager",
				blast_why(q->blast) == BLAST_NEVER ? "floating point"
								   : "circuits too large");
			return false;
		}
	}
	q->stats.gates = blast_gates(q->blast);
	return true;
}

static enum sat_result ask_z3(struct solve *q, double seconds)
{
	struct strbuf why = {0};
	enum sat_result r =
		z3_check(&q->p, q->assume, q->n_assume, seconds, &q->model, &q->core, &why);

	if (r == SAT_UNKNOWN)
		because(q, "z3", why.s ? why.s : "unknown");
	strbuf_release(&why);
	return r;
}

static enum sat_result run_z3(struct solve *q, double seconds)
{
	double until = clock_seconds() + seconds;

	q->stats.stage = SOLVE_Z3;
	q->gave_up = false;
	for (;;) {
		double left = until - clock_seconds();
		enum sat_result r;

		if (left <= 0) {
			because(q, "z3", "out of time");
			return SAT_UNKNOWN;
		}
		r = ask_z3(q, left);
		if (r != SAT_SAT)
			return r;
		must_hold(q);
		switch (ask(q)) {
		case SOLVE_ACCEPT: return SAT_SAT;
		case SOLVE_REFUTE: break;
		case SOLVE_GIVE_UP:
			because(q, "z3", "candidates could not be judged");
			return SAT_UNKNOWN;
		}
	}
}

static enum sat_result run_stages(struct solve *q, const struct solve_limits *l)
{
	struct sat_limits sl = {.conflicts = l->conflicts, .seconds = l->seconds};
	double start = clock_seconds(), left;
	enum sat_result r = SAT_UNKNOWN;

	if (q->refine && !l->eager) {
		q->stats.stage = SOLVE_LAZY;
		q->max_refused = l->refinements ? l->refinements : DEFAULT_REFINEMENTS;
		sl.seconds = l->seconds / 2;
		r = run(q, "lazy", &sl);
		if (r != SAT_UNKNOWN || q->gave_up)
			return r;
	}
	left = l->seconds > 0 ? l->seconds - (clock_seconds() - start) : 0;
	if (l->seconds <= 0 || left > 0) {
		q->stats.stage = SOLVE_EAGER;
		q->max_refused = UINT64_MAX;
		sl.seconds = left;
		if (make_circuits(q, l->gates ? l->gates : DEFAULT_GATES))
			r = run(q, "eager", &sl);
		if (r != SAT_UNKNOWN || q->gave_up)
			return r;
	}
	return l->z3_seconds > 0 ? run_z3(q, l->z3_seconds) : SAT_UNKNOWN;
}

enum sat_result solve_check(
	struct solve *q, const lit_t *assume, uint32_t n, const struct solve_limits *limits)
{
	static const struct solve_limits none;
	const struct sat_stats *st = sat_stats(q->sat);
	enum sat_result r;

	BUG_ON(q->judging);
	q->assume = assume;
	q->n_assume = n;
	strbuf_clear(&q->why);
	vec_clear(&q->core);
	r = run_stages(q, limits ? limits : &none);
	q->assume = NULL;
	q->n_assume = 0;
	q->stats.conflicts = st->conflicts;
	q->stats.decisions = st->decisions;
	q->stats.propagations = st->propagations;
	return r;
}

const char *solve_why(const struct solve *q)
{
	return q->why.s ? q->why.s : "";
}

const lit_t *solve_core(const struct solve *q, uint32_t *n)
{
	*n = q->core.n;
	return q->core.at;
}

bool solve_true(const struct solve *q, lit_t l)
{
	BUG_ON(lit_var(l) >= q->model.val.n);
	return problem_true(&q->model, l);
}

uint32_t solve_position(const struct solve *q, uint32_t node)
{
	BUG_ON(node >= q->model.pos.n);
	return q->model.pos.at[node];
}

u128 solve_value(struct solve *q, term_t t)
{
	return term_value(&q->model.values, t);
}

const struct solve_stats *solve_stats(const struct solve *q)
{
	return &q->stats;
}

int solve_dump(const struct solve *q, const lit_t *assume, uint32_t n, const char *path)
{
	struct strbuf sb = {0};
	FILE *f = fopen(path, "w");
	bool ok;

	if (!f)
		return error_("cannot write '%s': %s", path, strerror(errno));
	problem_print(&sb, &q->p, assume, n);
	ok = fwrite(sb.s, 1, sb.n, f) == sb.n;
	ok = !fclose(f) && ok;
	strbuf_release(&sb);
	return ok ? 0 : error_("cannot write '%s': %s", path, strerror(errno));
}
