#include "import/import_internal.h"

/*
 * Integers over 128 bits: clang loads and stores adjacent bit fields of a packed struct as one such
 * integer. They are split into limbs of 64 bits, the last one may be narrower, so that a copy of
 * the integer is a copy of lanes. This file has the operations on them that clang generates.
 */

bool type_is_wide(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) > 128;
}

struct lanes wide_constant(struct fn *fn, LLVMValueRef v)
{
	const struct layout *l = layout_of_value(fn->im, v);
	struct lanes out = lanes_new(fn, l->n);
	uint8_t bytes[MAX_WIDE_BITS / 8];
	uint64_t w;

	const_bytes(fn->im, v, bytes, l->n * 8);
	for (uint32_t i = 0; i < l->n; i++) {
		__builtin_memcpy(&w, bytes + 8 * i, 8);
		lane_set(fn, out, i, k_int(fn, l->leaf[i].type, w));
	}
	return out;
}

/* ---- limbs of exactly 64 bits ------------------------------------------------------------ */

struct limbs {
	uint32_t n;
	ir_ref at[MAX_WIDE_BITS / 64];
};

static ir_ref sign_of(struct fn *fn, ir_ref limb)
{
	return emit_bin(fn, IR_ASHR, limb, k_int(fn, 64, 63));
}

/* an integer of any width as n limbs, extended or truncated */
static struct limbs to_limbs(struct fn *fn, struct lanes a, uint32_t n, bool is_signed)
{
	ir_ref last = lane(fn, a, a.n - 1), fill;
	struct limbs l = {.n = n};
	uint32_t k = 0;

	if (a.n == 1 && ref_type(fn, last) > 64) {
		ir_ref whole = emit_resize(fn, 128, last, is_signed);

		l.at[k++] = emit_resize(fn, 64, whole, false);
		whole = emit_bin(fn, IR_LSHR, whole, k_int(fn, 128, 64));
		l.at[k++] = emit_resize(fn, 64, whole, false);
	} else {
		for (; k < a.n && k < n; k++)
			l.at[k] = emit_resize(fn, 64, lane(fn, a, k), is_signed);
	}
	fill = is_signed && k < n ? sign_of(fn, l.at[k - 1]) : k_int(fn, 64, 0);
	while (k < n)
		l.at[k++] = fill;
	return l;
}

static struct lanes from_limbs(struct fn *fn, const struct limbs *l, const struct layout *to)
{
	struct lanes out = lanes_new(fn, to->n);
	ir_ref lo, hi;

	if (to->n == 1 && to->leaf[0].type > 64) {
		lo = emit_resize(fn, 128, l->at[0], false);
		hi = emit_resize(fn, 128, l->at[1], false);
		hi = emit_bin(fn, IR_SHL, hi, k_int(fn, 128, 64));
		lane_set(fn, out, 0,
			emit_resize(fn, to->leaf[0].type, emit_bin(fn, IR_OR, lo, hi), false));
		return out;
	}
	for (uint32_t i = 0; i < to->n; i++)
		lane_set(fn, out, i, emit_resize(fn, to->leaf[i].type, l->at[i], false));
	return out;
}

struct lanes wide_cast(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	const struct layout *to = layout_of_value(fn->im, v);
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0));
	struct limbs l;

	if (!to->ok || !a.n || (op != LLVMTrunc && op != LLVMZExt && op != LLVMSExt))
		return unsupported(fn, "cast of an integer over 128 bits");
	l = to_limbs(fn, a, MAX(to->n, 2u), op == LLVMSExt);
	return from_limbs(fn, &l, to);
}

/* ---- arithmetic -------------------------------------------------------------------------- */

/* limb i of a number that continues with `below` and `above` outside its limbs */
static ir_ref limb_at(const struct limbs *l, int64_t i, ir_ref below, ir_ref above)
{
	return i < 0 ? below : i >= l->n ? above : l->at[i];
}

static void shift_left(struct fn *fn, const struct limbs *a, uint64_t by, struct limbs *out)
{
	int64_t q = (int64_t)(by / 64);
	ir_ref zero = k_int(fn, 64, 0), hi, lo;

	for (uint32_t i = 0; i < a->n; i++) {
		hi = limb_at(a, i - q, zero, zero);
		lo = limb_at(a, i - q - 1, zero, zero);
		out->at[i] = by % 64 ? emit_tern(fn, IR_FSHL, hi, lo, k_int(fn, 64, by % 64)) : hi;
	}
}

static void shift_right(
	struct fn *fn, const struct limbs *a, uint64_t by, bool is_signed, struct limbs *out)
{
	int64_t q = (int64_t)(by / 64);
	ir_ref fill = is_signed ? sign_of(fn, a->at[a->n - 1]) : k_int(fn, 64, 0), hi, lo;

	for (uint32_t i = 0; i < a->n; i++) {
		lo = limb_at(a, i + q, fill, fill);
		hi = limb_at(a, i + q + 1, fill, fill);
		out->at[i] = by % 64 ? emit_tern(fn, IR_FSHR, hi, lo, k_int(fn, 64, by % 64)) : lo;
	}
}

static void add_limbs(struct fn *fn, const struct limbs *a, const struct limbs *b, ir_ref carry,
	struct limbs *out)
{
	for (uint32_t i = 0; i < a->n; i++) {
		ir_ref s = emit_bin(fn, IR_ADD, a->at[i], b->at[i]);
		ir_ref c1 = emit_cmp(fn, IR_ULT, s, a->at[i]);
		ir_ref t = emit_bin(fn, IR_ADD, s, emit_resize(fn, 64, carry, false));
		ir_ref c2 = emit_cmp(fn, IR_ULT, t, s);

		out->at[i] = t;
		carry = emit_bin(fn, IR_OR, c1, c2);
	}
}

static void subtract_limbs(struct fn *fn, const struct limbs *a, struct limbs *b, struct limbs *out)
{
	for (uint32_t i = 0; i < b->n; i++)
		b->at[i] = emit_bin(fn, IR_XOR, b->at[i], k_int(fn, 64, UINT64_MAX));
	add_limbs(fn, a, b, k_int(fn, 1, 1), out);
}

struct lanes wide_binary(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	const struct layout *to = layout_of_value(fn->im, v);
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0)), b = fn_use(fn, LLVMGetOperand(v, 1));
	struct limbs x, y, out = {.n = to->n};
	bool is_shift = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
	uint64_t by = 0;

	if (!to->ok || !a.n || !b.n)
		return unsupported(fn, "operation on an integer over 128 bits");
	if (is_shift &&
		(!k_value(fn, lane(fn, b, 0), &by) || by >= LLVMGetIntTypeWidth(LLVMTypeOf(v))))
		return unsupported(fn, "shift of an integer over 128 bits by a variable");
	x = to_limbs(fn, a, to->n, op == LLVMAShr);
	y = to_limbs(fn, b, to->n, false);
	switch (op) {
	case LLVMShl: shift_left(fn, &x, by, &out); break;
	case LLVMLShr:
	case LLVMAShr: shift_right(fn, &x, by, op == LLVMAShr, &out); break;
	case LLVMAdd: add_limbs(fn, &x, &y, k_int(fn, 1, 0), &out); break;
	case LLVMSub: subtract_limbs(fn, &x, &y, &out); break;
	default: return unsupported(fn, "operation on an integer over 128 bits");
	}
	return from_limbs(fn, &out, to);
}

/* Equality of all limbs; order by the highest limb that differs. */
struct lanes wide_compare(struct fn *fn, LLVMIntPredicate p, struct lanes a, struct lanes b)
{
	bool is_signed = p >= LLVMIntSGT;
	bool swap = p == LLVMIntUGT || p == LLVMIntULE || p == LLVMIntSGT || p == LLVMIntSLE;
	bool negate = p == LLVMIntNE || p == LLVMIntULE || p == LLVMIntUGE || p == LLVMIntSLE ||
		      p == LLVMIntSGE;
	struct limbs x = to_limbs(fn, swap ? b : a, a.n, is_signed);
	struct limbs y = to_limbs(fn, swap ? a : b, a.n, is_signed);
	bool equality = p == LLVMIntEQ || p == LLVMIntNE;
	ir_ref r = k_int(fn, 1, equality), same, less;

	for (uint32_t i = 0; i < x.n; i++) {
		same = emit_cmp(fn, IR_EQ, x.at[i], y.at[i]);
		less = equality ? k_int(fn, 1, 0)
				: emit_cmp(fn, is_signed && i + 1 == x.n ? IR_SLT : IR_ULT, x.at[i],
					  y.at[i]);
		r = emit_select(fn, same, r, less);
	}
	return lanes1(fn, negate ? emit_bin(fn, IR_XOR, r, k_int(fn, 1, 1)) : r);
}
