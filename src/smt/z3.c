#include "smt/z3_solver.h"

#include "base/base.h"
#include "base/strbuf.h"
#include "smt/z3_terms.h"

#include <stdlib.h>

struct session {
	const struct problem *p;
	Z3_context c;
	Z3_solver s;
	Z3_sort integer;
	VEC(Z3_ast) var, node; /* by variable, by node; NULL until used */
	struct z3_terms t;
};

/* replaces Z3's default handler, which exits; failed() reads the error code */
static void ignore_error(Z3_context c, Z3_error_code e)
{
	(void)c;
	(void)e;
}

static bool failed(struct session *z, struct strbuf *why)
{
	Z3_error_code e = Z3_get_error_code(z->c);

	if (e == Z3_OK)
		return false;
	strbuf_addf(why, "%s", Z3_get_error_msg(z->c, e));
	return true;
}

static void session_start(struct session *z, struct terms *ts, double seconds)
{
	Z3_config config = Z3_mk_config();
	Z3_params params;

	z->c = Z3_mk_context(config);
	Z3_del_config(config);
	z->t = (struct z3_terms){.c = z->c, .ts = ts};
	Z3_set_error_handler(z->c, ignore_error);
	z->s = Z3_mk_solver(z->c);
	Z3_solver_inc_ref(z->c, z->s);
	z->integer = Z3_mk_int_sort(z->c);
	params = Z3_mk_params(z->c);
	Z3_params_inc_ref(z->c, params);
	if (seconds > 0)
		Z3_params_set_uint(z->c, params, Z3_mk_string_symbol(z->c, "timeout"),
			(unsigned)MAX(1.0, seconds * 1000));
	Z3_solver_set_params(z->c, z->s, params);
	Z3_params_dec_ref(z->c, params);
}

static void session_end(struct session *z)
{
	Z3_solver_dec_ref(z->c, z->s);
	Z3_del_context(z->c);
	vec_release(&z->var);
	vec_release(&z->node);
	vec_release(&z->t.ast);
	vec_release(&z->t.number);
}

static Z3_ast lit_ast(struct session *z, lit_t l)
{
	Z3_ast *a = &z->var.at[lit_var(l)];

	if (!*a)
		*a = lit_var(l) == lit_var(LIT_TRUE)
			     ? Z3_mk_true(z->c)
			     : Z3_mk_const(z->c, Z3_mk_int_symbol(z->c, (int)lit_var(l)),
				       Z3_mk_bool_sort(z->c));
	return lit_negated(l) ? Z3_mk_not(z->c, *a) : *a;
}

static Z3_ast node_ast(struct session *z, uint32_t n)
{
	Z3_ast *a = &z->node.at[n];

	if (!*a)
		*a = Z3_mk_fresh_const(z->c, "n", z->integer);
	return *a;
}

/* -- the problem -- */

static void assert_terms(struct session *z)
{
	const struct problem *p = z->p;

	vec_each (&p->defs, i) {
		Z3_ast l = lit_ast(z, p->defs.at[i].lit), t = z3_term(&z->t, p->defs.at[i].term);

		Z3_solver_assert(z->c, z->s,
			p->defs.at[i].only_if ? Z3_mk_implies(z->c, l, t) : Z3_mk_iff(z->c, l, t));
	}
}

static void assert_orders(struct session *z)
{
	for (uint32_t i = 0; i < order_n_edges(z->p->order); i++) {
		struct order_edge_info e = order_edge_at(z->p->order, i);
		Z3_ast lt = Z3_mk_lt(z->c, node_ast(z, e.a), node_ast(z, e.b));

		if (e.lit != LIT_TRUE)
			lt = Z3_mk_implies(z->c, lit_ast(z, e.lit), lt);
		Z3_solver_assert(z->c, z->s, lt);
	}
}

static void assert_clauses(struct session *z)
{
	const struct vec_u32 *cl = &z->p->clauses;
	VEC(Z3_ast) lits = {0};

	for (uint32_t at = 0; at < cl->n;) {
		uint32_t n = cl->at[at++];

		vec_clear(&lits);
		for (uint32_t i = 0; i < n; i++)
			vec_push(&lits, lit_ast(z, cl->at[at + i]));
		Z3_solver_assert(z->c, z->s, Z3_mk_or(z->c, lits.n, lits.at));
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

static void read_order(struct session *z, Z3_model model, struct problem_model *m)
{
	uint32_t n = order_n_nodes(z->p->order);
	VEC(struct placed) all = {0};

	for (uint32_t i = 0; i < n; i++) {
		struct placed p = {.node = i};
		Z3_ast v;

		if (z->node.at[i] && Z3_model_eval(z->c, model, z->node.at[i], true, &v))
			Z3_get_numeral_int64(z->c, v, &p.value);
		vec_push(&all, p);
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_value);
	vec_resize(&m->pos, n);
	vec_each (&all, i)
		m->pos.at[all.at[i].node] = i;
	vec_release(&all);
}

static void read_model(struct session *z, Z3_model model, struct problem_model *m)
{
	Z3_ast v;

	vec_clear(&m->val);
	vec_each (&z->var, i) {
		bool yes = z->var.at[i] && Z3_model_eval(z->c, model, z->var.at[i], true, &v) &&
			   Z3_get_bool_value(z->c, v) == Z3_L_TRUE;

		vec_push(&m->val, (int8_t)(yes || i == lit_var(LIT_TRUE) ? 1 : -1));
	}
	term_assign_clear(&m->values);
	vec_each (&z->t.ast, i)
		if (z->t.ast.at[i] && term_op(z->p->ts, (term_t){i}) == TERM_SYM)
			z3_read_symbol(&z->t, model, (term_t){i}, &m->values);
	m->has_values = true;
	read_order(z, model, m);
}

static void read_core(struct session *z, const lit_t *assume, uint32_t n, struct vec_u32 *core)
{
	Z3_ast_vector v = Z3_solver_get_unsat_core(z->c, z->s);

	vec_clear(core);
	Z3_ast_vector_inc_ref(z->c, v);
	for (unsigned k = 0; k < Z3_ast_vector_size(z->c, v); k++)
		for (uint32_t i = 0; i < n; i++)
			if (Z3_is_eq_ast(
				    z->c, Z3_ast_vector_get(z->c, v, k), lit_ast(z, assume[i]))) {
				vec_push(core, assume[i]);
				break;
			}
	Z3_ast_vector_dec_ref(z->c, v);
}

static enum sat_result answer(struct session *z, const lit_t *assume, uint32_t n,
	struct problem_model *m, struct vec_u32 *core, struct strbuf *why)
{
	VEC(Z3_ast) lits = {0};
	Z3_model model;
	Z3_lbool r;

	for (uint32_t i = 0; i < n; i++)
		vec_push(&lits, lit_ast(z, assume[i]));
	r = Z3_solver_check_assumptions(z->c, z->s, lits.n, lits.at);
	vec_release(&lits);
	if (failed(z, why))
		return SAT_UNKNOWN;
	if (r == Z3_L_UNDEF) {
		strbuf_addf(why, "%s", Z3_solver_get_reason_unknown(z->c, z->s));
		return SAT_UNKNOWN;
	}
	if (r == Z3_L_FALSE) {
		read_core(z, assume, n, core);
		return SAT_UNSAT;
	}
	model = Z3_solver_get_model(z->c, z->s);
	Z3_model_inc_ref(z->c, model);
	read_model(z, model, m);
	Z3_model_dec_ref(z->c, model);
	return failed(z, why) ? SAT_UNKNOWN : SAT_SAT;
}

enum sat_result z3_check(const struct problem *p, const lit_t *assume, uint32_t n, double seconds,
	struct problem_model *m, struct vec_u32 *core, struct strbuf *why)
{
	struct session z = {.p = p};
	enum sat_result r = SAT_UNKNOWN;

	vec_resize(&z.var, p->n_vars + 1);
	vec_resize(&z.node, order_n_nodes(p->order));
	session_start(&z, p->ts, seconds);
	assert_orders(&z);
	assert_clauses(&z);
	assert_terms(&z);
	if (!failed(&z, why))
		r = answer(&z, assume, n, m, core, why);
	session_end(&z);
	return r;
}

enum sat_result z3_check_text(const char *text, double seconds, struct strbuf *why)
{
	struct session z = {0};
	Z3_lbool r = Z3_L_UNDEF;

	session_start(&z, NULL, seconds);
	Z3_solver_from_string(z.c, z.s, text);
	if (!failed(&z, why)) {
		r = Z3_solver_check(z.c, z.s);
		if (!failed(&z, why) && r == Z3_L_UNDEF)
			strbuf_addf(why, "%s", Z3_solver_get_reason_unknown(z.c, z.s));
	}
	session_end(&z);
	return r == Z3_L_TRUE ? SAT_SAT : r == Z3_L_FALSE ? SAT_UNSAT : SAT_UNKNOWN;
}

const char *z3_version(void)
{
	return Z3_get_full_version();
}
