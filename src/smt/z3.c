#include "smt/z3_solver.h"

#include <stdlib.h>
#include <z3.h>

struct session {
	const struct problem *p;
	Z3_context c;
	Z3_solver s;
	Z3_sort integer;
	VEC(Z3_ast) var, node, term; /* by variable, by node, by term; NULL until used */
};

/* errors come back by code: see failed() */
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

static void session_start(struct session *z, double seconds)
{
	Z3_config config = Z3_mk_config();
	Z3_params params;

	z->c = Z3_mk_context(config);
	Z3_del_config(config);
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
	vec_release(&z->term);
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

/* -- terms; one of one bit is a Bool there -- */

static Z3_ast const_ast(struct session *z, unsigned width, u128 v)
{
	Z3_ast low, high;

	if (width == 1)
		return v ? Z3_mk_true(z->c) : Z3_mk_false(z->c);
	if (width <= 64)
		return Z3_mk_unsigned_int64(z->c, (uint64_t)v, Z3_mk_bv_sort(z->c, width));
	low = Z3_mk_unsigned_int64(z->c, (uint64_t)v, Z3_mk_bv_sort(z->c, 64));
	high = Z3_mk_unsigned_int64(z->c, (uint64_t)(v >> 64), Z3_mk_bv_sort(z->c, width - 64));
	return Z3_mk_concat(z->c, high, low);
}

static Z3_ast vector(struct session *z, term_t t)
{
	Z3_ast a = z->term.at[t.id];
	Z3_sort bit = Z3_mk_bv_sort(z->c, 1);

	if (term_width(z->p->ts, t) != 1)
		return a;
	return Z3_mk_ite(
		z->c, a, Z3_mk_unsigned_int(z->c, 1, bit), Z3_mk_unsigned_int(z->c, 0, bit));
}

static Z3_ast logic_ast(struct session *z, enum term_op op, Z3_ast x, Z3_ast y)
{
	Z3_ast both[2] = {x, y};

	switch (op) {
	case TERM_NOT: return Z3_mk_not(z->c, x);
	case TERM_AND: return Z3_mk_and(z->c, 2, both);
	case TERM_OR: return Z3_mk_or(z->c, 2, both);
	default: return Z3_mk_xor(z->c, x, y);
	}
}

static Z3_ast extract_ast(struct session *z, term_t t, Z3_ast x)
{
	unsigned low = term_low(z->p->ts, t), w = term_width(z->p->ts, t);
	Z3_ast part = Z3_mk_extract(z->c, low + w - 1, low, x);

	if (w > 1)
		return part;
	return Z3_mk_eq(z->c, part, Z3_mk_unsigned_int(z->c, 1, Z3_mk_bv_sort(z->c, 1)));
}

static Z3_ast symbol_ast(struct session *z, term_t t)
{
	unsigned w = term_width(z->p->ts, t);

	return Z3_mk_const(z->c, Z3_mk_string_symbol(z->c, term_name(z->p->ts, t)),
		w == 1 ? Z3_mk_bool_sort(z->c) : Z3_mk_bv_sort(z->c, w));
}

static Z3_ast term_ast(struct session *z, term_t t)
{
	struct terms *ts = z->p->ts;
	term_t a = term_arg(ts, t, 0), b = term_arg(ts, t, 1), c = term_arg(ts, t, 2);
	Z3_ast x = a.id ? z->term.at[a.id] : NULL, y = b.id ? z->term.at[b.id] : NULL;
	enum term_op op = term_op(ts, t);
	unsigned w = term_width(ts, t);
	u128 k = 0;

	if (w == 1 && (op == TERM_NOT || op == TERM_AND || op == TERM_OR || op == TERM_XOR))
		return logic_ast(z, op, x, y);
	switch (op) {
	case TERM_CONST: term_is_const(ts, t, &k); return const_ast(z, w, k);
	case TERM_SYM: return symbol_ast(z, t);
	case TERM_NOT: return Z3_mk_bvnot(z->c, x);
	case TERM_AND: return Z3_mk_bvand(z->c, x, y);
	case TERM_OR: return Z3_mk_bvor(z->c, x, y);
	case TERM_XOR: return Z3_mk_bvxor(z->c, x, y);
	case TERM_ADD: return Z3_mk_bvadd(z->c, x, y);
	case TERM_MUL: return Z3_mk_bvmul(z->c, x, y);
	case TERM_UDIV: return Z3_mk_bvudiv(z->c, x, y);
	case TERM_UREM: return Z3_mk_bvurem(z->c, x, y);
	case TERM_SDIV: return Z3_mk_bvsdiv(z->c, x, y);
	case TERM_SREM: return Z3_mk_bvsrem(z->c, x, y);
	case TERM_SHL: return Z3_mk_bvshl(z->c, x, y);
	case TERM_LSHR: return Z3_mk_bvlshr(z->c, x, y);
	case TERM_ASHR: return Z3_mk_bvashr(z->c, x, y);
	case TERM_EQ: return Z3_mk_eq(z->c, x, y);
	case TERM_ULT: return Z3_mk_bvult(z->c, x, y);
	case TERM_SLT: return Z3_mk_bvslt(z->c, x, y);
	case TERM_ITE: return Z3_mk_ite(z->c, x, y, z->term.at[c.id]);
	case TERM_ZEXT: return Z3_mk_zero_ext(z->c, w - term_width(ts, a), vector(z, a));
	case TERM_SEXT: return Z3_mk_sign_ext(z->c, w - term_width(ts, a), vector(z, a));
	case TERM_EXTRACT: return extract_ast(z, t, x);
	case TERM_CONCAT: return Z3_mk_concat(z->c, vector(z, a), vector(z, b));
	case TERM_N_OPS: break;
	}
	BUG("no term");
}

/* -- the problem -- */

static void assert_terms(struct session *z)
{
	const struct problem *p = z->p;
	struct vec_u32 parts = {0};
	VEC(term_t) roots = {0};

	vec_each (&p->defs, i)
		vec_push(&roots, p->defs.at[i].term);
	term_reach(p->ts, roots.at, roots.n, &parts);
	vec_each (&parts, i)
		z->term.at[parts.at[i]] = term_ast(z, (term_t){parts.at[i]});
	vec_each (&p->defs, i) {
		Z3_ast l = lit_ast(z, p->defs.at[i].lit), t = z->term.at[p->defs.at[i].term.id];

		Z3_solver_assert(z->c, z->s,
			p->defs.at[i].only_if ? Z3_mk_implies(z->c, l, t) : Z3_mk_iff(z->c, l, t));
	}
	vec_release(&parts);
	vec_release(&roots);
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

static u128 parse_decimal(const char *s)
{
	u128 v = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (unsigned)(*s - '0');
	return v;
}

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
	vec_each (&z->term, i) {
		term_t t = {i};

		if (!z->term.at[i] || term_op(z->p->ts, t) != TERM_SYM ||
			!Z3_model_eval(z->c, model, z->term.at[i], true, &v))
			continue;
		term_assign_set(&m->values, t,
			term_width(z->p->ts, t) == 1
				? (u128)(Z3_get_bool_value(z->c, v) == Z3_L_TRUE)
				: parse_decimal(Z3_get_numeral_string(z->c, v)));
	}
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
	vec_resize(&z.term, terms_count(p->ts));
	session_start(&z, seconds);
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

	session_start(&z, seconds);
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
