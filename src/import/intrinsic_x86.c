#include "import/intrinsic.h"

/* SSE2: the intrinsics that <emmintrin.h> does not express by generic vector operations. */

#define HANDLER(f) struct lanes f(struct fn *fn, LLVMValueRef call, const struct intrinsic *in)

static struct lanes operand_of(struct fn *fn, LLVMValueRef call, unsigned i)
{
	return fn_use(fn, LLVMGetOperand(call, i));
}

/* ---- shifts ------------------------------------------------------------------------------ */

/* a count of at least the width gives zero, or the sign for IR_ASHR */
static ir_ref shift_lane(struct fn *fn, enum ir_op op, ir_ref x, ir_ref count)
{
	ir_type t = ref_type(fn, x), ct = ref_type(fn, count);
	ir_ref small, r;

	small = emit_bin(fn, IR_UMIN, count, k_int(fn, ct, t - 1u));
	r = emit_bin(fn, op, x, emit_resize(fn, t, small, false));
	if (op == IR_ASHR)
		return r;
	return emit_select(fn, emit_cmp(fn, IR_ULT, count, k_int(fn, ct, t)), r, k_int(fn, t, 0));
}

static ir_ref shift_known(struct fn *fn, enum ir_op op, ir_ref x, uint64_t count)
{
	ir_type t = ref_type(fn, x);

	if (count >= t && op != IR_ASHR)
		return k_int(fn, t, 0);
	return emit_bin(fn, op, x, k_int(fn, t, MIN(count, t - 1u)));
}

/* the count is an i32, or the low half of a vector */
HANDLER(x86_shift)
{
	struct lanes v = operand_of(fn, call, 0), c = operand_of(fn, call, 1),
		     out = lanes_new(fn, v.n);
	struct leaf halves[] = {{64, 0}, {64, 8}};
	struct layout quads = {.ok = true, .n = 2, .leaf = halves};
	uint64_t known;
	ir_ref count;

	if (c.n > 1)
		c = vec_bitcast(fn, c, &quads);
	count = lane(fn, c, 0);
	for (uint32_t i = 0; i < v.n; i++)
		lane_set(fn, out, i,
			k_value(fn, count, &known)
				? shift_known(fn, (enum ir_op)in->op, lane(fn, v, i), known)
				: shift_lane(fn, (enum ir_op)in->op, lane(fn, v, i), count));
	return out;
}

/* ---- narrowing and multiplying ----------------------------------------------------------- */

static ir_ref emit_saturate(struct fn *fn, ir_ref x, ir_type to, bool to_signed)
{
	ir_type t = ref_type(fn, x);
	int64_t most = to_signed ? ((int64_t)1 << (to - 1)) - 1 : ((int64_t)1 << to) - 1;
	int64_t least = to_signed ? -most - 1 : 0;

	x = emit_bin(fn, IR_SMIN, x, k_int(fn, t, (uint64_t)most));
	x = emit_bin(fn, IR_SMAX, x, k_int(fn, t, (uint64_t)least));
	return emit_resize(fn, to, x, false);
}

/* narrows both vectors with saturation and concatenates them; in->op: to signed */
HANDLER(x86_pack)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, l->n);

	for (uint32_t i = 0; i < l->n; i++)
		lane_set(fn, out, i,
			emit_saturate(fn, i < a.n ? lane(fn, a, i) : lane(fn, b, i - a.n),
				l->leaf[i].type, in->op));
	return out;
}

static ir_ref emit_product(struct fn *fn, ir_ref x, ir_ref y, bool is_signed)
{
	return emit_bin(
		fn, IR_MUL, emit_resize(fn, 32, x, is_signed), emit_resize(fn, 32, y, is_signed));
}

/* sums of the products of two adjacent lanes */
HANDLER(x86_pmadd)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, a.n / 2);

	(void)in;
	for (uint32_t i = 0; i < a.n / 2; i++) {
		ir_ref x = emit_product(fn, lane(fn, a, 2 * i), lane(fn, b, 2 * i), true);
		ir_ref y = emit_product(fn, lane(fn, a, 2 * i + 1), lane(fn, b, 2 * i + 1), true);

		lane_set(fn, out, i, emit_bin(fn, IR_ADD, x, y));
	}
	return out;
}

/* the upper half of the product; in->op: signed */
HANDLER(x86_pmulh)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, a.n);

	for (uint32_t i = 0; i < a.n; i++) {
		ir_ref x = emit_product(fn, lane(fn, a, i), lane(fn, b, i), in->op);

		x = emit_bin(fn, IR_LSHR, x, k_int(fn, 32, 16));
		lane_set(fn, out, i, emit_resize(fn, 16, x, false));
	}
	return out;
}

HANDLER(x86_pavg)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, a.n);

	(void)in;
	for (uint32_t i = 0; i < a.n; i++) {
		ir_type t = ref_type(fn, lane(fn, a, i));
		ir_ref x = emit_bin(fn, IR_ADD, emit_resize(fn, 32, lane(fn, a, i), false),
			emit_resize(fn, 32, lane(fn, b, i), false));

		x = emit_bin(fn, IR_ADD, x, k_int(fn, 32, 1));
		x = emit_bin(fn, IR_LSHR, x, k_int(fn, 32, 1));
		lane_set(fn, out, i, emit_resize(fn, t, x, false));
	}
	return out;
}

/* sums of absolute differences of eight bytes each */
HANDLER(x86_psad)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, a.n / 8);

	(void)in;
	for (uint32_t i = 0; i < a.n / 8; i++) {
		ir_ref sum = k_int(fn, 64, 0);

		for (uint32_t k = 8 * i; k < 8 * i + 8; k++) {
			ir_ref d = emit_bin(fn, IR_SUB, emit_resize(fn, 64, lane(fn, a, k), false),
				emit_resize(fn, 64, lane(fn, b, k), false));

			sum = emit_bin(fn, IR_ADD, sum, emit_un(fn, IR_ABS, d));
		}
		lane_set(fn, out, i, sum);
	}
	return out;
}

/* ---- floating point ---------------------------------------------------------------------- */

static uint32_t active_lanes(const struct intrinsic *in, uint32_t n)
{
	return in->text ? 1 : n; /* "s": only the first lane, the others are those of operand 0 */
}

/* minimum or maximum (in->op): the first operand if it is smaller (larger), else the second */
HANDLER(x86_minmax)
{
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, a.n);

	for (uint32_t i = 0; i < a.n; i++) {
		ir_ref x = lane(fn, a, i), y = lane(fn, b, i), c;

		lane_set(fn, out, i, x);
		if (i >= active_lanes(in, a.n))
			continue;
		c = in->op ? emit_cmp(fn, IR_FOLT, y, x) : emit_cmp(fn, IR_FOLT, x, y);
		lane_set(fn, out, i, emit_select(fn, c, x, y));
	}
	return out;
}

/* comparison; operand 2 is the number of the predicate; each lane becomes all ones or all zeroes */
HANDLER(x86_cmp)
{
	static const LLVMRealPredicate predicates[] = {LLVMRealOEQ, LLVMRealOLT, LLVMRealOLE,
		LLVMRealUNO, LLVMRealUNE, LLVMRealUGE, LLVMRealUGT, LLVMRealORD};
	struct lanes a = operand_of(fn, call, 0), b = operand_of(fn, call, 1),
		     out = lanes_new(fn, a.n);
	uint64_t k = UINT64_MAX;

	k_value(fn, fn_use1(fn, LLVMGetOperand(call, 2)), &k);
	if (k >= ARRAY_SIZE(predicates))
		return unsupported(fn, "comparison with predicate %lu", (unsigned long)k);
	for (uint32_t i = 0; i < a.n; i++) {
		ir_ref x = lane(fn, a, i), c;
		ir_type t = ref_type(fn, x);

		lane_set(fn, out, i, x);
		if (i >= active_lanes(in, a.n))
			continue;
		c = fcmp_lane(fn, predicates[k], x, lane(fn, b, i));
		c = emit_resize(fn, (ir_type)ir_type_bits(t), c, true);
		lane_set(fn, out, i, emit_from_int(fn, t, c));
	}
	return out;
}

/* compares the first lanes; the result is an int; in->op: LLVMRealPredicate */
HANDLER(x86_comi)
{
	ir_ref a = lane(fn, operand_of(fn, call, 0), 0), b = lane(fn, operand_of(fn, call, 1), 0);

	return lanes1(
		fn, emit_resize(fn, 32, fcmp_lane(fn, (LLVMRealPredicate)in->op, a, b), false));
}

/* to signed integers; a value out of range gives the smallest one; in->op: round to nearest */
HANDLER(x86_to_int)
{
	const struct layout *l = layout_of_value(fn->im, call);
	struct lanes v = operand_of(fn, call, 0), out = lanes_new(fn, l->n);

	for (uint32_t i = 0; i < l->n; i++) {
		ir_ref x = lane(fn, v, i), fits, limit, low;
		ir_type t = ref_type(fn, x), to = l->leaf[i].type;

		if (in->op)
			x = emit_un(fn, IR_FNEARBYINT, x);
		limit = math_power_of_two(fn, t, to - 1u, false);
		low = math_power_of_two(fn, t, to - 1u, true);
		fits = emit_bin(
			fn, IR_AND, emit_cmp(fn, IR_FOLT, x, limit), emit_cmp(fn, IR_FOLE, low, x));
		x = emit_select(fn, fits, x, low);
		lane_set(fn, out, i, emit_conv(fn, IR_FPTOSI, to, x));
	}
	return out;
}
