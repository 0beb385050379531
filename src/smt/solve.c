#include "smt/solve.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "smt/blast.h"
#include "smt/problem.h"
#include "term/term_float.h"
#include "smt/z3_solver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_REFINEMENTS = 1000, DEFAULT_GATES = 4000000 };

/* For sets of terms: a solver of MANY_GATES or more is replaced if it has TOO_MUCH times as many
 * gates as the cone of the query has variables. */
enum { MANY_GATES = 5000, TOO_MUCH = 3 };

struct solve {
	struct terms *ts;
	struct sat *sat;
	struct order *order; /* NULL until the first node */
	struct blast *blast; /* NULL until the first circuit */
	struct z3 *z3;
	struct problem p;
	struct map lit_of; /* term -> literal */
	uint32_t blasted;  /* number of defs that are translated to circuits */
	struct map floats; /* term -> 2 if it contains floating-point operations, 1 if not */

	solve_refine refine;
	void *refine_ctx;
	bool judging, gave_up;
	uint64_t refused_here; /* candidate models refuted in this stage */
	uint64_t max_refused;  /* limit of refused_here */

	struct problem_assume with; /* assumptions of the current check */
	struct vec_u32 lits;        /* the literals of with.terms in circuits, in their order */
	struct vec_u32 leaves;      /* symbols and reads of array symbols that have circuits; for a
				       set of terms only those of its cone */
	struct vec_u32 vars;        /* variables of the cone of the set */

	struct problem_model model;
	struct vec_u32 core, core_terms;
	struct strbuf why, z3_why;
	struct solve_stats stats;
};

static enum sat_final judge_candidate(void *ctx);

static void set_theory(struct solve *q)
{
	struct sat_theory theory = {0};

	if (q->order)
		order_theory(q->order, &theory);
	theory.final = judge_candidate;
	theory.final_ctx = q;
	sat_set_theory(q->sat, &theory);
}

struct solve *solve_new(struct terms *ts)
{
	struct solve *q = xcalloc(1, sizeof *q);

	q->ts = ts;
	q->sat = sat_new();
	set_theory(q);
	q->p = (struct problem){.ts = ts, .n_vars = lit_var(LIT_TRUE)};
	problem_model_init(&q->model, ts);
	return q;
}

void solve_free(struct solve *q)
{
	if (!q)
		return;
	blast_free(q->blast);
	order_free(q->order);
	sat_free(q->sat);
	z3_free(q->z3);
	problem_release(&q->p);
	map_release(&q->lit_of);
	map_release(&q->floats);
	vec_release(&q->lits);
	vec_release(&q->leaves);
	vec_release(&q->vars);
	problem_model_release(&q->model);
	vec_release(&q->core);
	vec_release(&q->core_terms);
	strbuf_release(&q->why);
	strbuf_release(&q->z3_why);
	free(q);
}

/* -- assertions -- */

/* Notes that the problem uses the variable of l. Variables of circuits, which the problem does not
 * use, can have numbers in between. */
static lit_t note_variable(struct solve *q, lit_t l)
{
	q->p.n_vars = MAX(q->p.n_vars, lit_var(l));
	return l;
}

lit_t solve_bool(struct solve *q)
{
	return note_variable(q, sat_var(q->sat));
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
	if (!q->order) {
		q->p.order = q->order = order_new(q->sat);
		set_theory(q);
	}
	return order_node(q->order);
}

void solve_edge(struct solve *q, uint32_t a, uint32_t b)
{
	if (!order_edge(q->order, a, b))
		solve_clause(q, NULL, 0);
}

lit_t solve_before(struct solve *q, uint32_t a, uint32_t b)
{
	return note_variable(q, order_before(q->order, a, b));
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
	for (uint32_t i = 0; i < problem_n_nodes(&q->p); i++)
		vec_push(&m->pos, order_position(q->order, i));
	term_assign_clear(&m->values);
	m->has_values = q->stats.stage == SOLVE_EAGER;
	for (uint32_t i = 0; m->has_values && i < q->leaves.n; i++) {
		term_t t = {q->leaves.at[i]};

		if (term_op(q->ts, t) == TERM_SYM)
			term_assign_set(&m->values, t, current_bits(q, t));
		else
			term_assign_cell(&m->values, term_arg(q->ts, t, 0),
				(uint64_t)current_bits(q, term_arg(q->ts, t, 1)),
				(uint8_t)current_bits(q, t));
	}
}

static enum solve_verdict consult_refine(struct solve *q)
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

static enum sat_final judge_candidate(void *ctx)
{
	struct solve *q = ctx;
	const char *wrong;

	take_candidate(q);
	switch (consult_refine(q)) {
	case SOLVE_ACCEPT:
		wrong = problem_wrong(&q->p, &q->with, &q->model);
		if (wrong)
			BUG("a model that is none: %s", wrong);
		return SAT_FINAL_ACCEPT;
	case SOLVE_REFUTE:
		return q->refused_here < q->max_refused ? SAT_FINAL_AGAIN : SAT_FINAL_GIVE_UP;
	case SOLVE_GIVE_UP: break;
	}
	return SAT_FINAL_GIVE_UP;
}

/* -- circuits -- */

static const char *why_no_circuits(const struct solve *q)
{
	switch (blast_why(q->blast)) {
	case BLAST_NEVER: return "floating point";
	case BLAST_TIME: return "out of time";
	case BLAST_GATES: break;
	}
	return "circuits too large";
}

/* Translates the definitions that have no circuits yet. Returns NULL, or the reason why that is not
 * possible. */
static const char *translate_defs(struct solve *q)
{
	for (; q->blasted < q->p.defs.n; q->blasted++) {
		struct problem_def d = q->p.defs.at[q->blasted];

		if (!blast_imply(q->blast, d.lit, d.term) ||
			(!d.only_if &&
				!blast_imply(q->blast, lit_not(d.lit), term_not(q->ts, d.term))))
			return why_no_circuits(q);
	}
	vec_clear(&q->leaves);
	for (uint32_t i = 0; i < terms_n_syms(q->ts); i++)
		if (blast_has(q->blast, terms_sym_at(q->ts, i)))
			vec_push(&q->leaves, terms_sym_at(q->ts, i).id);
	for (uint32_t i = 0; i < blast_n_reads(q->blast); i++)
		vec_push(&q->leaves, blast_read_at(q->blast, i).id);
	return NULL;
}

/* Translates the assumed terms and computes their cone. False if that is not possible. */
static bool translate_terms(struct solve *q)
{
	const uint32_t *terms = q->with.terms;

	vec_clear(&q->lits);
	for (uint32_t i = 0; i < q->with.n_terms; i++) {
		lit_t l = blast_lit(q->blast, (term_t){terms[i]});

		if (l == LIT_NONE && blast_why(q->blast) == BLAST_NEVER)
			*map_put(&q->floats, terms[i]) = 2;
		if (l == LIT_NONE)
			return false;
		vec_push(&q->lits, l);
	}
	vec_clear(&q->vars);
	vec_clear(&q->leaves);
	blast_cone(q->blast, terms, q->with.n_terms, &q->vars, &q->leaves);
	return true;
}

static bool too_many_gates(const struct solve *q)
{
	uint64_t gates = blast_gates(q->blast);

	return gates >= MANY_GATES && gates >= (uint64_t)q->vars.n * TOO_MUCH;
}

/* translate_terms(), in a new solver if most of the old one is outside the cone, or has no room for
 * the terms. Restricts decisions to the cone. */
static const char *translate_set(struct solve *q)
{
	for (uint32_t i = 0; i < q->with.n_terms; i++)
		if (map_get_or(&q->floats, q->with.terms[i], 0) == 2)
			return "floating point";
	for (bool fresh = !blast_gates(q->blast);; fresh = true) {
		bool ok = translate_terms(q);

		if (!ok && (fresh || blast_why(q->blast) != BLAST_GATES))
			return why_no_circuits(q);
		if (ok && (fresh || !too_many_gates(q)))
			break;
		sat_free(q->sat);
		q->sat = sat_new();
		set_theory(q);
		blast_restart(q->blast, q->sat);
	}
	if (!q->vars.n) /* an empty focus would mean all variables */
		vec_push(&q->vars, lit_var(LIT_TRUE));
	sat_focus(q->sat, q->vars.at, q->vars.n);
	return NULL;
}

/* -- stages -- */

static const char NOT_JUDGED[] = "candidates could not be judged";

static void add_reason(struct solve *q, const char *stage, const char *what)
{
	strbuf_addf(&q->why, "%s%s: %s", q->why.n ? "; " : "", stage, what);
}

static const char *why_unknown(const struct solve *q)
{
	switch (sat_why(q->sat)) {
	case SAT_WHY_CONFLICTS: return "too many conflicts";
	case SAT_WHY_TIME: return "out of time";
	default: break;
	}
	return q->gave_up ? NOT_JUDGED : "too many candidates refused";
}

static void take_core(struct solve *q)
{
	uint32_t n;
	const lit_t *core = sat_core(q->sat, &n);

	for (uint32_t k = 0; k < n && !q->with.n_terms; k++)
		vec_push(&q->core, core[k]);
	for (uint32_t i = 0; i < q->with.n_terms; i++)
		for (uint32_t k = 0; k < n; k++)
			if (core[k] == q->lits.at[i]) {
				vec_push(&q->core_terms, q->with.terms[i]);
				break;
			}
}

/* one solve with our own solver */
static enum sat_result run_own(struct solve *q, const char *stage, const struct sat_limits *limits)
{
	bool set = q->with.n_terms;
	enum sat_result r;

	q->refused_here = 0;
	r = sat_solve(q->sat, set ? q->lits.at : q->with.lits, set ? q->lits.n : q->with.n, limits);
	if (r == SAT_UNSAT)
		take_core(q);
	if (r == SAT_UNKNOWN)
		add_reason(q, stage, why_unknown(q));
	return r;
}

static enum sat_result run_lazy(struct solve *q, const struct solve_limits *l)
{
	struct sat_limits sl = {.conflicts = l->conflicts,
		.until = l->seconds > 0 ? clock_seconds() + l->seconds / 2 : 0};

	q->stats.stage = SOLVE_LAZY;
	q->max_refused = l->refinements ? l->refinements : DEFAULT_REFINEMENTS;
	return run_own(q, "lazy", &sl);
}

static enum sat_result run_eager(struct solve *q, const struct solve_limits *l, double until)
{
	struct sat_limits sl = {.conflicts = l->conflicts, .until = until};
	const char *no;

	q->stats.stage = SOLVE_EAGER;
	q->max_refused = UINT64_MAX;
	if (!q->blast)
		q->blast = blast_new(q->ts, q->sat, l->gates ? l->gates : DEFAULT_GATES);
	blast_deadline(q->blast, until);
	no = q->with.n_terms ? translate_set(q) : translate_defs(q);
	q->stats.gates = blast_gates(q->blast);
	if (!no && until > 0 && clock_seconds() > until)
		no = "out of time";
	if (!no)
		return run_own(q, "eager", &sl);
	add_reason(q, "eager", no);
	return SAT_UNKNOWN;
}

static bool has_floats(struct solve *q)
{
	struct vec_u32 parts = {0};
	bool any = false;

	for (uint32_t i = 0; i < q->with.n_terms && !any; i++) {
		term_t t = {q->with.terms[i]};
		uint64_t *at = map_put(&q->floats, t.id);

		if (!*at) {
			*at = 1;
			vec_clear(&parts);
			term_reach(q->ts, &t, 1, &parts);
			vec_each (&parts, k)
				if (term_op_is_float(term_op(q->ts, (term_t){parts.at[k]})))
					*at = 2;
		}
		any = *at == 2;
	}
	vec_release(&parts);
	return any;
}

/* Z3 on the whole problem, until the refine function accepts a model. */
static enum sat_result run_z3(struct solve *q, double until)
{
	bool quick = problem_is_empty(&q->p) && !has_floats(q);

	q->stats.stage = SOLVE_Z3;
	if (!q->z3)
		q->z3 = z3_new(q->ts);
	for (;;) {
		enum sat_result r = z3_check(q->z3, &q->p, &q->with, until, quick, &q->model,
			&q->core, &q->z3_why);

		for (uint32_t i = 0; r == SAT_UNSAT && i < q->with.n_terms; i++)
			vec_push(&q->core_terms, q->with.terms[i]);
		if (r == SAT_UNKNOWN)
			add_reason(q, "z3", q->z3_why.s);
		if (r != SAT_SAT)
			return r;
		if (problem_wrong(&q->p, &q->with, &q->model)) { /* a bug of Z3 */
			add_reason(q, "z3", "its model does not hold");
			return SAT_UNKNOWN;
		}
		switch (consult_refine(q)) {
		case SOLVE_ACCEPT: return SAT_SAT;
		case SOLVE_REFUTE: break;
		case SOLVE_GIVE_UP: add_reason(q, "z3", NOT_JUDGED); return SAT_UNKNOWN;
		}
	}
}

static enum sat_result run_stages(struct solve *q, const struct solve_limits *l)
{
	double until = l->seconds > 0 ? clock_seconds() + l->seconds : 0;
	enum sat_result r = SAT_UNKNOWN;

	if (q->refine && !l->eager && !l->z3_only)
		r = run_lazy(q, l);
	if (r == SAT_UNKNOWN && !q->gave_up && !l->z3_only &&
		(!until || clock_seconds() < until))
		r = run_eager(q, l, until);
	if (r == SAT_UNKNOWN && !q->gave_up && (l->z3_until > 0 || l->z3_seconds > 0))
		r = run_z3(q, l->z3_until > 0 ? l->z3_until : clock_seconds() + l->z3_seconds);
	return r;
}

void solve_assume(struct solve *q, const struct vec_u32 *set)
{
	BUG_ON(!problem_is_empty(&q->p));
	q->with = (struct problem_assume){.terms = set->at, .n_terms = set->n};
}

enum sat_result solve_check(
	struct solve *q, const lit_t *assume, uint32_t n, const struct solve_limits *limits)
{
	static const struct solve_limits none;
	const struct sat_stats *st;
	enum sat_result r;

	BUG_ON(q->judging || (n && q->with.n_terms));
	q->with.lits = assume;
	q->with.n = n;
	q->gave_up = false;
	strbuf_clear(&q->why);
	vec_clear(&q->core);
	vec_clear(&q->core_terms);
	r = run_stages(q, limits ? limits : &none);
	q->with = (struct problem_assume){0};
	st = sat_stats(q->sat);
	q->stats.conflicts = st->conflicts;
	q->stats.decisions = st->decisions;
	q->stats.propagations = st->propagations;
	return r;
}

enum sat_result solve_term(struct terms *ts, term_t t, const struct solve_limits *limits)
{
	struct solve *q;
	enum sat_result r;
	u128 v;

	if (term_is_const(ts, t, &v))
		return v ? SAT_SAT : SAT_UNSAT;
	q = solve_new(ts);
	solve_assert(q, t);
	r = solve_check(q, NULL, 0, limits);
	solve_free(q);
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

const struct vec_u32 *solve_core_terms(const struct solve *q)
{
	return &q->core_terms;
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

struct term_assign *solve_values(struct solve *q)
{
	return &q->model.values;
}

const struct solve_stats *solve_stats(const struct solve *q)
{
	return &q->stats;
}

int solve_dump(const struct solve *q, const lit_t *assume, uint32_t n, enum sat_result status,
	const char *path)
{
	struct problem_assume with = {assume, n, q->with.terms, q->with.n_terms};
	struct strbuf sb = {0};
	int rc;

	strbuf_addf(&sb, "(set-info :status %s)\n(set-logic ALL)\n",
		status == SAT_SAT     ? "sat"
		: status == SAT_UNSAT ? "unsat"
				      : "unknown");
	problem_print(&sb, &q->p, &with);
	rc = file_write(path, sb.s, sb.n, false);
	strbuf_release(&sb);
	return rc ? error_("cannot write '%s': %s", path, strerror(errno)) : 0;
}
