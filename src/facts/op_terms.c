#include "facts/op_terms.h"

#include "term/term_float.h"

typedef term_t (*binary)(struct terms *, term_t, term_t);
typedef term_t (*unary)(struct terms *, term_t);

static const binary binaries[IR_NOPS] = {
	[IR_ADD] = term_add, [IR_SUB] = term_sub, [IR_MUL] = term_mul, [IR_UDIV] = term_udiv,
	[IR_SDIV] = term_sdiv, [IR_UREM] = term_urem, [IR_SREM] = term_srem, [IR_SHL] = term_shl,
	[IR_LSHR] = term_lshr, [IR_ASHR] = term_ashr, [IR_AND] = term_and, [IR_OR] = term_or,
	[IR_XOR] = term_xor, [IR_SMIN] = term_smin, [IR_SMAX] = term_smax, [IR_UMIN] = term_umin,
	[IR_UMAX] = term_umax, [IR_UADDSAT] = term_uaddsat, [IR_SADDSAT] = term_saddsat,
	[IR_USUBSAT] = term_usubsat, [IR_SSUBSAT] = term_ssubsat, [IR_EQ] = term_eq,
	[IR_NE] = term_ne, [IR_ULT] = term_ult, [IR_ULE] = term_ule, [IR_SLT] = term_slt,
	[IR_SLE] = term_sle, [IR_UADDO] = term_add, [IR_SADDO] = term_add, [IR_USUBO] = term_sub,
	[IR_SSUBO] = term_sub, [IR_UMULO] = term_mul, [IR_SMULO] = term_mul,
	[IR_RMW_ADD] = term_add, [IR_RMW_SUB] = term_sub, [IR_RMW_AND] = term_and,
	[IR_RMW_OR] = term_or, [IR_RMW_XOR] = term_xor, [IR_RMW_MAX] = term_smax,
	[IR_RMW_MIN] = term_smin, [IR_RMW_UMAX] = term_umax, [IR_RMW_UMIN] = term_umin,
};
static const binary overflows[IR_NOPS] = {
	[IR_UADDO] = term_uaddo, [IR_SADDO] = term_saddo, [IR_USUBO] = term_usubo,
	[IR_SSUBO] = term_ssubo, [IR_UMULO] = term_umulo, [IR_SMULO] = term_smulo,
};
static const unary unaries[IR_NOPS] = {
	[IR_CTPOP] = term_ctpop, [IR_CTLZ] = term_ctlz, [IR_CTTZ] = term_cttz,
	[IR_BSWAP] = term_bswap, [IR_BITREV] = term_bitrev, [IR_ABS] = term_abs,
};

static term_t convert_term(struct terms *ts, const struct ir_insn *in, term_t a)
{
	uint32_t to = ir_type_bits(in->type), from = ir_type_bits(in->type2);

	switch (in->op) {
	case IR_TRUNC: return term_trunc(ts, a, to);
	case IR_ZEXT: return term_zext(ts, a, to);
	case IR_SEXT: return term_sext(ts, a, to);
	case IR_BITCAST: return to == from ? a : TERM_NONE;
	case IR_PTRTOINT:
	case IR_INTTOPTR: return to < from ? term_trunc(ts, a, to) : term_zext(ts, a, to);
	default: return TERM_NONE;
	}
}

static term_t unary_term(struct terms *ts, const struct ir_insn *in, term_t a)
{
	uint32_t bits = ir_type_bits(in->type);
	u128 sign = (u128)1 << (bits - 1);

	switch (in->op) {
	case IR_COPY:
	case IR_FREEZE: return a;
	case IR_FNEG: return term_xor(ts, a, term_const(ts, bits, sign));
	case IR_FABS: return term_and(ts, a, term_const(ts, bits, ~sign));
	default: return unaries[in->op] ? unaries[in->op](ts, a) : TERM_NONE;
	}
}

bool ops_term(struct terms *ts, const struct ir_insn *in, const term_t *a, term_t *out)
{
	out[0] = out[1] = TERM_NONE;
	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
		if (binaries[in->op])
			out[0] = binaries[in->op](ts, a[0], a[1]);
		break;
	case IR_S_OVF:
		out[0] = binaries[in->op](ts, a[0], a[1]);
		out[1] = overflows[in->op](ts, a[0], a[1]);
		break;
	case IR_S_UN: out[0] = unary_term(ts, in, a[0]); break;
	case IR_S_TERN:
		if (in->op == IR_FSHL)
			out[0] = term_fshl(ts, a[0], a[1], a[2]);
		else if (in->op == IR_FSHR)
			out[0] = term_fshr(ts, a[0], a[1], a[2]);
		break;
	case IR_S_CONV: out[0] = convert_term(ts, in, a[0]); break;
	case IR_S_SELECT: out[0] = term_ite(ts, a[0], a[1], a[2]); break;
	default: break;
	}
	return out[0].id;
}

/* -- floats -- */

static const binary float_binaries[IR_NOPS] = {
	[IR_FADD] = term_fadd, [IR_FSUB] = term_fsub, [IR_FMUL] = term_fmul, [IR_FDIV] = term_fdiv,
	[IR_FMIN] = term_fmin, [IR_FMAX] = term_fmax, [IR_FCOPYSIGN] = term_fcopysign,
};

static term_t float_unary(struct terms *ts, uint8_t op, term_t a)
{
	switch (op) {
	case IR_FSQRT: return term_fsqrt(ts, a);
	case IR_FFLOOR: return term_fround(ts, a, TERM_RTN);
	case IR_FCEIL: return term_fround(ts, a, TERM_RTP);
	case IR_FTRUNC: return term_fround(ts, a, TERM_RTZ);
	case IR_FRINT:
	case IR_FNEARBYINT:
	case IR_FROUNDEVEN: return term_fround(ts, a, TERM_RNE);
	case IR_FROUND: return term_fround(ts, a, TERM_RNA);
	default: return TERM_NONE;
	}
}

static term_t float_compare(struct terms *ts, uint8_t op, term_t a, term_t b)
{
	term_t uno = term_funo(ts, a, b), eq = term_foeq(ts, a, b);

	switch (op) {
	case IR_FOEQ: return eq;
	case IR_FUNE: return term_not(ts, eq);
	case IR_FUEQ: return term_or(ts, uno, eq);
	case IR_FONE: return term_not(ts, term_or(ts, uno, eq));
	case IR_FOLT: return term_folt(ts, a, b);
	case IR_FOLE: return term_fole(ts, a, b);
	case IR_FULT: return term_or(ts, uno, term_folt(ts, a, b));
	case IR_FULE: return term_or(ts, uno, term_fole(ts, a, b));
	case IR_FORD: return term_not(ts, uno);
	case IR_FUNO: return uno;
	default: return TERM_NONE;
	}
}

static bool is_float(ir_type t)
{
	return t == IR_F32 || t == IR_F64;
}

static term_t float_convert(struct terms *ts, const struct ir_insn *in, term_t a)
{
	uint32_t to = ir_type_bits(in->type);

	switch (in->op) {
	case IR_FPTRUNC:
	case IR_FPEXT:
		return is_float(in->type) && is_float(in->type2) ? term_fcvt(ts, a, to) : TERM_NONE;
	case IR_FPTOSI: return is_float(in->type2) ? term_fptosi(ts, a, to) : TERM_NONE;
	case IR_FPTOUI: return is_float(in->type2) ? term_fptoui(ts, a, to) : TERM_NONE;
	case IR_SITOFP: return is_float(in->type) ? term_sitofp(ts, a, to) : TERM_NONE;
	case IR_UITOFP: return is_float(in->type) ? term_uitofp(ts, a, to) : TERM_NONE;
	default: return TERM_NONE;
	}
}

term_t ops_float(struct terms *ts, const struct ir_insn *in, const term_t *a)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
		if (!is_float(in->type) || !float_binaries[in->op])
			return TERM_NONE;
		return float_binaries[in->op](ts, a[0], a[1]);
	case IR_S_CMP:
		return is_float(in->type2) ? float_compare(ts, in->op, a[0], a[1]) : TERM_NONE;
	case IR_S_UN: return is_float(in->type) ? float_unary(ts, in->op, a[0]) : TERM_NONE;
	case IR_S_CONV: return float_convert(ts, in, a[0]);
	default: return TERM_NONE;
	}
}

term_t ops_rmw(struct terms *ts, const struct ir_insn *in, term_t old, term_t arg)
{
	if (in->op == IR_RMW_XCHG)
		return arg;
	if (in->op == IR_RMW_NAND)
		return term_not(ts, term_and(ts, old, arg));
	return binaries[in->op] ? binaries[in->op](ts, old, arg) : TERM_NONE;
}
