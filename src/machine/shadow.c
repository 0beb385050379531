#include "machine/shadow.h"

/* every bit from the lowest undefined one upward */
static u128 smear_up(u128 u)
{
	return u | -u;
}

static u128 shadow_shift(uint8_t op, uint32_t bits, const struct opnd *a, u128 all)
{
	u128 u = val_u128(a[0].u), k = val_u128(a[1].v);

	if (val_u128(a[1].u))
		return all;
	if (k >= bits)
		return op == IR_ASHR && u >> (bits - 1) & 1 ? all : 0;
	switch (op) {
	case IR_SHL: return u << k;
	case IR_LSHR: return u >> k;
	default: return (u128)(bits_signed(u, bits) >> k);
	}
}

static u128 shadow_bin(const struct ir_insn *in, const struct opnd *a, u128 all)
{
	u128 ua = val_u128(a[0].u), ub = val_u128(a[1].u);
	u128 va = val_u128(a[0].v), vb = val_u128(a[1].v);

	switch (in->op) {
	case IR_AND: return (ua & ub) | (ua & vb) | (ub & va);
	case IR_OR: return (ua & ub) | (ua & ~vb) | (ub & ~va);
	case IR_XOR: return ua | ub;
	case IR_ADD:
	case IR_SUB:
	case IR_MUL: return smear_up(ua | ub);
	case IR_SHL:
	case IR_LSHR:
	case IR_ASHR: return shadow_shift(in->op, ir_type_bits(in->type), a, all);
	default: return all;
	}
}

/* the least and greatest possible value, over all undefined bits, in the order of the comparison */
static void range_of(const struct opnd *a, uint32_t bits, bool is_signed, u128 *lo, u128 *hi)
{
	u128 flip = is_signed ? (u128)1 << (bits - 1) : 0; /* makes signed order unsigned order */
	u128 v = val_u128(a->v) ^ flip, u = val_u128(a->u);

	*lo = v & ~u;
	*hi = v | u;
}

static bool shadow_cmp(const struct ir_insn *in, const struct opnd *a)
{
	uint32_t bits = ir_type_bits(in->type2);
	bool is_signed = in->op == IR_SLT || in->op == IR_SLE;
	u128 u = val_u128(a[0].u) | val_u128(a[1].u), alo, ahi, blo, bhi;

	switch (in->op) {
	case IR_EQ:
	case IR_NE: return !((val_u128(a[0].v) ^ val_u128(a[1].v)) & ~u & bits_mask(bits));
	case IR_ULT:
	case IR_SLT:
	case IR_ULE:
	case IR_SLE:
		range_of(&a[0], bits, is_signed, &alo, &ahi);
		range_of(&a[1], bits, is_signed, &blo, &bhi);
		if (in->op == IR_ULT || in->op == IR_SLT)
			return !(ahi < blo || alo >= bhi);
		return !(ahi <= blo || alo > bhi);
	default: return true;
	}
}

static u128 shadow_un(const struct ir_insn *in, const struct opnd *a, u128 all)
{
	struct ir_insn as = *in;
	struct val out;

	switch (in->op) {
	case IR_COPY: return val_u128(a[0].u);
	case IR_FREEZE: return 0;
	case IR_BSWAP:
	case IR_BITREV: /* a permutation of bits: the shadow is permuted too */
		eval_op(&as, &a[0].u, &out);
		return val_u128(out);
	default: return all;
	}
}

static u128 shadow_conv(const struct ir_insn *in, const struct opnd *a, u128 all)
{
	struct val out;

	switch (in->op) {
	case IR_TRUNC:
	case IR_ZEXT:
	case IR_SEXT:
	case IR_BITCAST:
	case IR_PTRTOINT:
	case IR_INTTOPTR:
		eval_op(in, &a[0].u, &out);
		return val_u128(out);
	default: return all;
	}
}

static u128 shadow_select(const struct opnd *a)
{
	if (a[0].u.lo)
		return (val_u128(a[1].v) ^ val_u128(a[2].v)) | val_u128(a[1].u) | val_u128(a[2].u);
	return val_u128(a[0].v.lo ? a[1].u : a[2].u);
}

void shadow_op(const struct ir_insn *in, const struct opnd *a, struct opnd *out)
{
	static const uint8_t arity[] = {[IR_S_BIN] = 2, [IR_S_CMP] = 2, [IR_S_UN] = 1,
		[IR_S_TERN] = 3, [IR_S_CONV] = 1, [IR_S_SELECT] = 3, [IR_S_OVF] = 2};
	enum ir_shape s = ir_ops[in->op].shape;
	u128 all = bits_mask(ir_type_bits(in->type)), u = 0, any = 0;

	for (int i = 0; i < arity[s]; i++)
		any |= val_u128(a[i].u);
	if (any)
		switch (s) {
		case IR_S_BIN: u = shadow_bin(in, a, all); break;
		case IR_S_CMP: u = shadow_cmp(in, a); break;
		case IR_S_UN: u = shadow_un(in, a, all); break;
		case IR_S_CONV: u = shadow_conv(in, a, all); break;
		case IR_S_SELECT: u = shadow_select(a); break;
		default: u = all; break;
		}
	out[0].u = val_of(u & all);
	if (s == IR_S_OVF)
		out[1].u = (struct val){any != 0, 0};
}
