#include "smt/z3_terms.h"

#include "base/base.h"
#include "term/term_float.h"

#include <stdlib.h>

static Z3_ast const_ast(struct z3_terms *z, unsigned width, u128 v)
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

static Z3_ast vector_ast(struct z3_terms *z, term_t t)
{
	Z3_ast a = z->ast.at[t.id];
	Z3_sort bit = Z3_mk_bv_sort(z->c, 1);

	if (term_width(z->ts, t) != 1)
		return a;
	return Z3_mk_ite(
		z->c, a, Z3_mk_unsigned_int(z->c, 1, bit), Z3_mk_unsigned_int(z->c, 0, bit));
}

static Z3_ast logic_ast(struct z3_terms *z, enum term_op op, Z3_ast x, Z3_ast y)
{
	Z3_ast both[2] = {x, y};

	switch (op) {
	case TERM_NOT: return Z3_mk_not(z->c, x);
	case TERM_AND: return Z3_mk_and(z->c, 2, both);
	case TERM_OR: return Z3_mk_or(z->c, 2, both);
	default: return Z3_mk_xor(z->c, x, y);
	}
}

static Z3_ast extract_ast(struct z3_terms *z, term_t t, Z3_ast x)
{
	unsigned low = term_low(z->ts, t), w = term_width(z->ts, t);
	Z3_ast part = Z3_mk_extract(z->c, low + w - 1, low, x);

	if (w > 1)
		return part;
	return Z3_mk_eq(z->c, part, Z3_mk_unsigned_int(z->c, 1, Z3_mk_bv_sort(z->c, 1)));
}

static Z3_ast symbol_ast(struct z3_terms *z, term_t t)
{
	unsigned w = term_width(z->ts, t);
	Z3_sort sort;

	if (!w)
		sort = Z3_mk_array_sort(
			z->c, Z3_mk_bv_sort(z->c, TERM_INDEX_WIDTH), Z3_mk_bv_sort(z->c, 8));
	else
		sort = w == 1 ? Z3_mk_bool_sort(z->c) : Z3_mk_bv_sort(z->c, w);
	return Z3_mk_const(z->c, Z3_mk_string_symbol(z->c, term_name(z->ts, t)), sort);
}

/* -- floating point -- */

/* from this depth on, a choice is converted from its bits */
enum { MAX_CHOICES = 20 };

static Z3_sort float_sort(struct z3_terms *z, unsigned width)
{
	return width == 32 ? Z3_mk_fpa_sort_32(z->c) : Z3_mk_fpa_sort_64(z->c);
}

static Z3_ast rounding_ast(struct z3_terms *z, enum term_rounding mode)
{
	switch (mode) {
	case TERM_RNE: return Z3_mk_fpa_rne(z->c);
	case TERM_RNA: return Z3_mk_fpa_rna(z->c);
	case TERM_RTN: return Z3_mk_fpa_rtn(z->c);
	case TERM_RTP: return Z3_mk_fpa_rtp(z->c);
	case TERM_RTZ: return Z3_mk_fpa_rtz(z->c);
	}
	BUG("no rounding");
}

static Z3_ast float_ast(struct z3_terms *z, term_t t, unsigned choices);

/* the result of a floating-point kind other than FTOS and FTOU, as a number of Z3 */
static Z3_ast float_operation(struct z3_terms *z, term_t t, unsigned choices)
{
	term_t a = term_arg(z->ts, t, 0), b = term_arg(z->ts, t, 1);
	Z3_ast rne = Z3_mk_fpa_rne(z->c), x, y;
	Z3_sort sort = float_sort(z, term_width(z->ts, t));
	enum term_op op = term_op(z->ts, t);

	if (op == TERM_FFROMS)
		return Z3_mk_fpa_to_fp_signed(z->c, rne, vector_ast(z, a), sort);
	if (op == TERM_FFROMU)
		return Z3_mk_fpa_to_fp_unsigned(z->c, rne, vector_ast(z, a), sort);
	x = float_ast(z, a, choices);
	y = b.id ? float_ast(z, b, choices) : NULL;
	switch (op) {
	case TERM_FADD: return Z3_mk_fpa_add(z->c, rne, x, y);
	case TERM_FSUB: return Z3_mk_fpa_sub(z->c, rne, x, y);
	case TERM_FMUL: return Z3_mk_fpa_mul(z->c, rne, x, y);
	case TERM_FDIV: return Z3_mk_fpa_div(z->c, rne, x, y);
	case TERM_FSQRT: return Z3_mk_fpa_sqrt(z->c, rne, x);
	case TERM_FCVT: return Z3_mk_fpa_to_fp_float(z->c, rne, x, sort);
	default:
		return Z3_mk_fpa_round_to_integral(
			z->c, rounding_ast(z, (enum term_rounding)term_low(z->ts, t)), x);
	}
}

/* A translated term of 32 or 64 bits as a number of Z3: the number itself if the term is the result
 * of a floating-point operation or a choice of such results, else a conversion from its bits. */
static Z3_ast float_ast(struct z3_terms *z, term_t t, unsigned choices)
{
	Z3_ast r;

	if (z->number.n < terms_count(z->ts))
		vec_resize(&z->number, terms_count(z->ts));
	if (z->number.at[t.id])
		return z->number.at[t.id];
	if (term_op(z->ts, t) == TERM_ITE && choices < MAX_CHOICES) {
		Z3_ast x = float_ast(z, term_arg(z->ts, t, 1), choices + 1),
		       y = float_ast(z, term_arg(z->ts, t, 2), choices + 1);

		r = Z3_mk_ite(z->c, z->ast.at[term_arg(z->ts, t, 0).id], x, y);
	} else {
		r = Z3_mk_fpa_to_fp_bv(z->c, z->ast.at[t.id], float_sort(z, term_width(z->ts, t)));
	}
	z->number.at[t.id] = r;
	return r;
}

static Z3_ast power_ast(struct z3_terms *z, unsigned width, unsigned k, bool minus)
{
	u128 v = term_float_power(width, k) | (u128)minus << (width - 1);

	return Z3_mk_fpa_to_fp_bv(z->c, const_ast(z, width, v), float_sort(z, width));
}

/* Conversion to an integer. Z3 leaves the result unspecified if the number does not fit; it is then
 * the one of term_float.c, 1 << (width - 1). */
static Z3_ast float_to_int(struct z3_terms *z, term_t t)
{
	term_t a = term_arg(z->ts, t, 0);
	unsigned w = term_width(z->ts, t), wa = term_width(z->ts, a);
	bool sign = term_op(z->ts, t) == TERM_FTOS;
	Z3_ast x = float_ast(z, a, 0), rtz = Z3_mk_fpa_rtz(z->c), both[2], r;

	both[0] = Z3_mk_fpa_lt(z->c, x, power_ast(z, wa, w - sign, false));
	both[1] = Z3_mk_fpa_geq(z->c, x,
		sign ? power_ast(z, wa, w - 1, true)
		     : Z3_mk_fpa_zero(z->c, float_sort(z, wa), false));
	r = sign ? Z3_mk_fpa_to_sbv(z->c, rtz, x, w) : Z3_mk_fpa_to_ubv(z->c, rtz, x, w);
	return Z3_mk_ite(z->c, Z3_mk_and(z->c, 2, both), r, const_ast(z, w, (u128)1 << (w - 1)));
}

static Z3_ast float_bits(struct z3_terms *z, term_t t)
{
	unsigned w = term_width(z->ts, t);
	Z3_ast x;

	if (term_op(z->ts, t) == TERM_FTOS || term_op(z->ts, t) == TERM_FTOU)
		return float_to_int(z, t);
	x = float_operation(z, t, 0);
	if (z->number.n < terms_count(z->ts))
		vec_resize(&z->number, terms_count(z->ts));
	z->number.at[t.id] = x;
	return Z3_mk_ite(z->c, Z3_mk_fpa_is_nan(z->c, x), const_ast(z, w, term_float_nan(w)),
		Z3_mk_fpa_to_ieee_bv(z->c, x));
}

static Z3_ast term_ast(struct z3_terms *z, term_t t)
{
	struct terms *ts = z->ts;
	term_t a = term_arg(ts, t, 0), b = term_arg(ts, t, 1), c = term_arg(ts, t, 2);
	Z3_ast x = a.id ? z->ast.at[a.id] : NULL, y = b.id ? z->ast.at[b.id] : NULL;
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
	case TERM_ITE: return Z3_mk_ite(z->c, x, y, z->ast.at[c.id]);
	case TERM_ZEXT: return Z3_mk_zero_ext(z->c, w - term_width(ts, a), vector_ast(z, a));
	case TERM_SEXT: return Z3_mk_sign_ext(z->c, w - term_width(ts, a), vector_ast(z, a));
	case TERM_EXTRACT: return extract_ast(z, t, x);
	case TERM_CONCAT: return Z3_mk_concat(z->c, vector_ast(z, a), vector_ast(z, b));
	case TERM_READ: return Z3_mk_select(z->c, x, y);
	case TERM_WRITE: return Z3_mk_store(z->c, x, y, z->ast.at[c.id]);
	case TERM_FILL: return Z3_mk_const_array(z->c, Z3_mk_bv_sort(z->c, TERM_INDEX_WIDTH), x);
	case TERM_N_OPS: break;
	default: return float_bits(z, t);
	}
	BUG("no term");
}

Z3_ast z3_term(struct z3_terms *z, term_t t)
{
	struct vec_u32 todo = {0};

	if (z->ast.n < terms_count(z->ts))
		vec_resize(&z->ast, terms_count(z->ts));
	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_last(&todo)};
		bool ready = true;

		for (unsigned i = 0; i < 3 && !z->ast.at[x.id]; i++) {
			term_t a = term_arg(z->ts, x, i);

			if (a.id && !z->ast.at[a.id]) {
				vec_push(&todo, a.id);
				ready = false;
			}
		}
		if (!ready)
			continue;
		todo.n--;
		if (!z->ast.at[x.id]) {
			z->ast.at[x.id] = term_ast(z, x);
			z->made++;
		}
	}
	vec_release(&todo);
	return z->ast.at[t.id];
}

/* -- values -- */

static u128 parse_decimal(const char *s)
{
	u128 v = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (unsigned)(*s - '0');
	return v;
}

static u128 numeral_value(struct z3_terms *z, Z3_ast v)
{
	if (Z3_get_ast_kind(z->c, v) == Z3_NUMERAL_AST)
		return parse_decimal(Z3_get_numeral_string(z->c, v));
	z->no_value = true;
	return 0;
}

/* reads an array that Z3's model represents as a function of the index */
static void read_function(
	struct z3_terms *z, Z3_model m, Z3_func_decl f, term_t sym, struct term_assign *as)
{
	Z3_func_interp in = Z3_model_get_func_interp(z->c, m, f);

	if (!in)
		return;
	Z3_func_interp_inc_ref(z->c, in);
	term_assign_rest(as, sym, (uint8_t)numeral_value(z, Z3_func_interp_get_else(z->c, in)));
	for (unsigned i = 0; i < Z3_func_interp_get_num_entries(z->c, in); i++) {
		Z3_func_entry e = Z3_func_interp_get_entry(z->c, in, i);
		Z3_ast at, v;

		Z3_func_entry_inc_ref(z->c, e);
		at = Z3_func_entry_get_arg(z->c, e, 0);
		v = Z3_func_entry_get_value(z->c, e);
		term_assign_cell(
			as, sym, (uint64_t)numeral_value(z, at), (uint8_t)numeral_value(z, v));
		Z3_func_entry_dec_ref(z->c, e);
	}
	Z3_func_interp_dec_ref(z->c, in);
}

/* reads an array that Z3's model represents as stores to a constant array or to a function */
static void read_array(struct z3_terms *z, Z3_model m, Z3_ast v, term_t sym, struct term_assign *as)
{
	VEC(Z3_app) stores = {0};

	for (;;) {
		Z3_app a = Z3_to_app(z->c, v);
		Z3_func_decl f = Z3_get_app_decl(z->c, a);

		if (Z3_is_as_array(z->c, v)) {
			read_function(z, m, Z3_get_as_array_func_decl(z->c, v), sym, as);
			break;
		}
		switch (Z3_get_decl_kind(z->c, f)) {
		case Z3_OP_STORE:
			vec_push(&stores, a);
			v = Z3_get_app_arg(z->c, a, 0);
			continue;
		case Z3_OP_CONST_ARRAY:
			term_assign_rest(
				as, sym, (uint8_t)numeral_value(z, Z3_get_app_arg(z->c, a, 0)));
			break;
		default: z->no_value = true; break;
		}
		break;
	}
	while (stores.n) { /* innermost store first: outer stores overwrite it */
		Z3_app a = vec_pop(&stores);

		term_assign_cell(as, sym, (uint64_t)numeral_value(z, Z3_get_app_arg(z->c, a, 1)),
			(uint8_t)numeral_value(z, Z3_get_app_arg(z->c, a, 2)));
	}
	vec_release(&stores);
}

void z3_read_symbol(struct z3_terms *z, Z3_model m, term_t sym, struct term_assign *as)
{
	unsigned w = term_width(z->ts, sym);
	Z3_ast v;

	if (!Z3_model_eval(z->c, m, z->ast.at[sym.id], true, &v))
		z->no_value = true;
	else if (!w)
		read_array(z, m, v, sym, as);
	else if (w == 1)
		term_assign_set(as, sym, Z3_get_bool_value(z->c, v) == Z3_L_TRUE);
	else
		term_assign_set(as, sym, numeral_value(z, v));
}
