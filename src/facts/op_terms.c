/* The operations of the IR as terms (docs/ir.md, smt/term.h). */
#include "facts/op_terms.h"

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

static term_t convert(struct terms *ts, const struct ir_insn *in, term_t a)
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
	case IR_S_CONV: out[0] = convert(ts, in, a[0]); break;
	case IR_S_SELECT: out[0] = term_ite(ts, a[0], a[1], a[2]); break;
	default: break;
	}
	return out[0].id;
}

term_t ops_rmw(struct terms *ts, const struct ir_insn *in, term_t old, term_t arg)
{
	if (in->op == IR_RMW_XCHG)
		return arg;
	if (in->op == IR_RMW_NAND)
		return term_not(ts, term_and(ts, old, arg));
	return binaries[in->op] ? binaries[in->op](ts, old, arg) : TERM_NONE;
}
