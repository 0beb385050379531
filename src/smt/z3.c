#include "smt/z3_solver.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "smt/z3_terms.h"

#include <stdlib.h>

/* After that many queries or terms the context is replaced: it frees its terms only when it is
 * deleted. */
enum { MAX_QUERIES = 20000, MAX_TERMS = 1000000 };

struct z3 {
	struct terms *ts;
	struct z3_terms t; /* t.c is NULL until the first query */
	uint32_t queries;  /* with this context */
	/* of the current query */
	const struct problem *p;
	const struct problem_assume *with;
	Z3_solver s;
	VEC(Z3_ast) var, node; /* by variable, by node; NULL until used */
	struct strbuf *why;
};

/* replaces Z3's default handler, which exits; has_failed() reads the error code */
static void ignore_error(Z3_context c, Z3_error_code e)
{
	(void)c;
	(void)e;
}

static bool has_failed(struct z3 *z)
{
	Z3_error_code e = Z3_get_error_code(z->t.c);

	if (e != Z3_OK)
		strbuf_adds(z->why, Z3_get_error_msg(z->t.c, e));
	return e != Z3_OK;
}

static void start_context(struct z3 *z)
{
	Z3_config config = Z3_mk_config();

	z->t = (struct z3_terms){.c = Z3_mk_context(config), .ts = z->ts};
	Z3_del_config(config);
	Z3_set_error_handler(z->t.c, ignore_error);
	z->queries = 0;
}

static void end_context(struct z3 *z)
{
	if (z->t.c)
		Z3_del_context(z->t.c);
	vec_release(&z->t.ast);
	vec_release(&z->t.number);
	vec_release(&z->var);
	vec_release(&z->node);
	z->t.c = NULL;
}

struct z3 *z3_new(struct terms *ts)
{
	struct z3 *z = xcalloc(1, sizeof *z);

	z->ts = ts;
	return z;
}

void z3_free(struct z3 *z)
{
	if (!z)
		return;
	end_context(z);
	free(z);
}

static void start_solver(struct z3 *z, bool simple, double seconds)
{
	Z3_context c = z->t.c;
	Z3_params params;

	/* Z3 frees an object without references at the next call */
	z->s = simple ? Z3_mk_simple_solver(c) : Z3_mk_solver(c);
	Z3_solver_inc_ref(c, z->s);
	params = Z3_mk_params(c);
	Z3_params_inc_ref(c, params);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "timeout"),
		(unsigned)MAX(1.0, seconds * 1000));
	Z3_solver_set_params(c, z->s, params);
	Z3_params_dec_ref(c, params);
}

/* -- the query -- */

static Z3_ast lit_ast(struct z3 *z, lit_t l)
{
	Z3_ast *a = &z->var.at[lit_var(l)];

	if (!*a)
		*a = lit_var(l) == lit_var(LIT_TRUE)
			     ? Z3_mk_true(z->t.c)
			     : Z3_mk_const(z->t.c, Z3_mk_int_symbol(z->t.c, (int)lit_var(l)),
				       Z3_mk_bool_sort(z->t.c));
	return lit_negated(l) ? Z3_mk_not(z->t.c, *a) : *a;
}

static Z3_ast node_ast(struct z3 *z, uint32_t n)
{
	Z3_ast *a = &z->node.at[n];

	if (!*a)
		*a = Z3_mk_fresh_const(z->t.c, "n", Z3_mk_int_sort(z->t.c));
	return *a;
}

static void assert_terms(struct z3 *z)
{
	vec_each (&z->p->defs, i) {
		struct problem_def d = z->p->defs.at[i];
		Z3_ast l = lit_ast(z, d.lit), t = z3_term(&z->t, d.term);

		Z3_solver_assert(z->t.c, z->s,
			d.only_if ? Z3_mk_implies(z->t.c, l, t) : Z3_mk_iff(z->t.c, l, t));
	}
	for (uint32_t i = 0; i < z->with->n_terms; i++)
		Z3_solver_assert(z->t.c, z->s, z3_term(&z->t, (term_t){z->with->terms[i]}));
}

static void assert_orders(struct z3 *z)
{
	for (uint32_t i = 0; i < problem_n_edges(z->p); i++) {
		struct order_edge_info e = order_edge_at(z->p->order, i);
		Z3_ast lt = Z3_mk_lt(z->t.c, node_ast(z, e.a), node_ast(z, e.b));

		if (e.lit != LIT_TRUE)
			lt = Z3_mk_implies(z->t.c, lit_ast(z, e.lit), lt);
		Z3_solver_assert(z->t.c, z->s, lt);
	}
}

static void assert_clauses(struct z3 *z)
{
	const struct vec_u32 *cl = &z->p->clauses;
	VEC(Z3_ast) lits = {0};

	for (uint32_t at = 0; at < cl->n;) {
		uint32_t n = cl->at[at++];

		vec_clear(&lits);
		for (uint32_t i = 0; i < n; i++)
			vec_push(&lits, lit_ast(z, cl->at[at + i]));
		Z3_solver_assert(z->t.c, z->s, Z3_mk_or(z->t.c, lits.n, lits.at));
		at += n;
	}
	vec_release(&lits);
}

/* -- the answer -- */

struct placed {
	int64_t value;
	uint32_t node;
};

static int by_value(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void read_order(struct z3 *z, Z3_model model, struct problem_model *m)
{
	VEC(struct placed) all = {0};

	vec_each (&z->node, i) {
		struct placed p = {.node = i};
		Z3_ast v;

		if (z->node.at[i] && (!Z3_model_eval(z->t.c, model, z->node.at[i], true, &v) ||
					     !Z3_get_numeral_int64(z->t.c, v, &p.value)))
			z->t.no_value = true;
		vec_push(&all, p);
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_value);
	vec_resize(&m->pos, all.n);
	vec_each (&all, i)
		m->pos.at[all.at[i].node] = i;
	vec_release(&all);
}

static void read_symbols(struct z3 *z, Z3_model model, term_t t, struct term_assign *as)
{
	const struct term_syms *syms = term_syms(z->ts, t);

	for (uint32_t k = 0; k < syms->n; k++)
		if (!map_get(&as->sym, syms->at[k].id) && !map_get(&as->array, syms->at[k].id))
			z3_read_symbol(&z->t, model, syms->at[k], as);
}

static enum sat_result read_model(struct z3 *z, struct problem_model *m)
{
	Z3_model model = Z3_solver_get_model(z->t.c, z->s);
	Z3_ast v;

	Z3_model_inc_ref(z->t.c, model);
	z->t.no_value = false;
	vec_clear(&m->val);
	vec_each (&z->var, i) {
		bool yes = z->var.at[i] && Z3_model_eval(z->t.c, model, z->var.at[i], true, &v) &&
			   Z3_get_bool_value(z->t.c, v) == Z3_L_TRUE;

		vec_push(&m->val, (int8_t)(yes || i == lit_var(LIT_TRUE) ? 1 : -1));
	}
	term_assign_clear(&m->values);
	vec_each (&z->p->defs, i)
		read_symbols(z, model, z->p->defs.at[i].term, &m->values);
	for (uint32_t i = 0; i < z->with->n_terms; i++)
		read_symbols(z, model, (term_t){z->with->terms[i]}, &m->values);
	m->has_values = true;
	read_order(z, model, m);
	Z3_model_dec_ref(z->t.c, model);
	if (has_failed(z))
		return SAT_UNKNOWN;
	if (z->t.no_value)
		strbuf_adds(z->why, "its model has a value that cannot be read");
	return z->t.no_value ? SAT_UNKNOWN : SAT_SAT;
}

static void read_core(struct z3 *z, struct vec_u32 *core)
{
	Z3_ast_vector v = Z3_solver_get_unsat_core(z->t.c, z->s);

	vec_clear(core);
	Z3_ast_vector_inc_ref(z->t.c, v);
	for (unsigned k = 0; k < Z3_ast_vector_size(z->t.c, v); k++)
		for (uint32_t i = 0; i < z->with->n; i++)
			if (Z3_is_eq_ast(z->t.c, Z3_ast_vector_get(z->t.c, v, k),
				    lit_ast(z, z->with->lits[i]))) {
				vec_push(core, z->with->lits[i]);
				break;
			}
	Z3_ast_vector_dec_ref(z->t.c, v);
}

static enum sat_result get_answer(struct z3 *z, struct problem_model *m, struct vec_u32 *core)
{
	VEC(Z3_ast) lits = {0};
	Z3_lbool r;

	for (uint32_t i = 0; i < z->with->n; i++)
		vec_push(&lits, lit_ast(z, z->with->lits[i]));
	r = Z3_solver_check_assumptions(z->t.c, z->s, lits.n, lits.at);
	vec_release(&lits);
	if (has_failed(z))
		return SAT_UNKNOWN;
	switch (r) {
	case Z3_L_TRUE: return read_model(z, m);
	case Z3_L_FALSE: read_core(z, core); return SAT_UNSAT;
	default:
		strbuf_adds(z->why, Z3_solver_get_reason_unknown(z->t.c, z->s));
		return SAT_UNKNOWN;
	}
}

static enum sat_result run_solver(
	struct z3 *z, bool simple, double seconds, struct problem_model *m, struct vec_u32 *core)
{
	enum sat_result r = SAT_UNKNOWN;

	strbuf_clear(z->why);
	start_solver(z, simple, seconds);
	assert_orders(z);
	assert_clauses(z);
	assert_terms(z);
	if (!has_failed(z))
		r = get_answer(z, m, core);
	Z3_solver_dec_ref(z->t.c, z->s);
	return r;
}

enum sat_result z3_check(struct z3 *z, const struct problem *p, const struct problem_assume *with,
	double until, bool quick, struct problem_model *m, struct vec_u32 *core, struct strbuf *why)
{
	double left = until - clock_seconds();
	enum sat_result r = SAT_UNKNOWN;

	strbuf_clear(why);
	if (left <= 0) {
		strbuf_adds(why, "out of time");
		return SAT_UNKNOWN;
	}
	if (z->queries > MAX_QUERIES || z->t.made > MAX_TERMS)
		end_context(z);
	if (!z->t.c)
		start_context(z);
	z->queries++;
	z->p = p;
	z->with = with;
	z->why = why;
	vec_resize(&z->var, p->n_vars + 1);
	vec_resize(&z->node, problem_n_nodes(p));
	if (quick) {
		r = run_solver(z, true, left / 3, m, core);
		left = until - clock_seconds();
	}
	if (r == SAT_UNKNOWN && left > 0)
		r = run_solver(z, false, left, m, core);
	if (!problem_is_empty(p))
		end_context(z);
	return r;
}

enum sat_result z3_check_text(const char *text, double seconds, struct strbuf *why)
{
	struct z3 z = {.why = why};
	Z3_lbool r = Z3_L_UNDEF;

	start_context(&z);
	start_solver(&z, false, seconds);
	Z3_solver_from_string(z.t.c, z.s, text);
	if (!has_failed(&z)) {
		r = Z3_solver_check(z.t.c, z.s);
		if (!has_failed(&z) && r == Z3_L_UNDEF)
			strbuf_adds(why, Z3_solver_get_reason_unknown(z.t.c, z.s));
	}
	Z3_solver_dec_ref(z.t.c, z.s);
	end_context(&z);
	return r == Z3_L_TRUE ? SAT_SAT : r == Z3_L_FALSE ? SAT_UNSAT : SAT_UNKNOWN;
}

const char *z3_version(void)
{
	return Z3_get_full_version();
}
