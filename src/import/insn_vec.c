#include "import/import_internal.h"

/* Aggregates and vectors: most operations only select lanes; a change of their width, or a variable
 * index, needs instructions. */

/* ---- aggregates -------------------------------------------------------------------------- */

static uint32_t leaf_count(struct fn *fn, LLVMTypeRef t)
{
	return layout_of(fn->im, t)->n;
}

/* the range of leaves that the indices select */
static struct lanes agg_range(struct fn *fn, LLVMTypeRef t, LLVMValueRef v)
{
	unsigned n = LLVMGetNumIndices(v);
	const unsigned *ix = LLVMGetIndices(v);
	uint32_t first = 0;

	for (unsigned i = 0; i < n; i++) {
		if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			for (unsigned k = 0; k < ix[i]; k++)
				first += leaf_count(fn, LLVMStructGetTypeAtIndex(t, k));
			t = LLVMStructGetTypeAtIndex(t, ix[i]);
		} else {
			t = LLVMGetElementType(t);
			first += ix[i] * leaf_count(fn, t);
		}
	}
	return (struct lanes){first, leaf_count(fn, t)};
}

static struct lanes lanes_copy(struct fn *fn, struct lanes l)
{
	struct lanes out = lanes_new(fn, l.n);

	for (uint32_t i = 0; i < l.n; i++)
		lane_set(fn, out, i, lane(fn, l, i));
	return out;
}

struct lanes insn_aggregate(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	LLVMValueRef agg = LLVMGetOperand(v, 0);
	struct lanes range = agg_range(fn, LLVMTypeOf(agg), v);
	struct lanes from = fn_use(fn, agg), value, out;

	if (op == LLVMExtractValue)
		return lanes_sub(from, range.start, range.n);
	value = fn_use(fn, LLVMGetOperand(v, 1));
	out = lanes_copy(fn, from);
	for (uint32_t i = 0; i < range.n; i++)
		lane_set(fn, out, range.start + i, lane(fn, value, i));
	return out;
}

/* ---- bit casts --------------------------------------------------------------------------- */

/* lanes [first, first + n) of equal width as one integer, the first lane lowest */
static ir_ref join_lanes(struct fn *fn, struct lanes l, uint32_t first, uint32_t n)
{
	ir_ref r = emit_to_int(fn, lane(fn, l, first)), x;
	uint32_t bits = ir_type_bits(ref_type(fn, r));
	ir_type whole = (ir_type)(bits * n);

	if (n == 1)
		return r;
	r = emit_resize(fn, whole, r, false);
	for (uint32_t i = 1; i < n; i++) {
		x = emit_resize(fn, whole, emit_to_int(fn, lane(fn, l, first + i)), false);
		x = emit_bin(fn, IR_SHL, x, k_int(fn, whole, (uint64_t)i * bits));
		r = emit_bin(fn, IR_OR, r, x);
	}
	return r;
}

/* the integer's parts as lanes out[first ..] of type t */
static void split_lanes(
	struct fn *fn, ir_ref whole, ir_type t, struct lanes out, uint32_t first, uint32_t n)
{
	ir_type wt = ref_type(fn, whole);
	uint32_t bits = ir_type_bits(t);

	for (uint32_t i = 0; i < n; i++) {
		ir_ref x = whole;

		if (i)
			x = emit_bin(fn, IR_LSHR, x, k_int(fn, wt, (uint64_t)i * bits));
		x = emit_resize(fn, (ir_type)bits, x, false);
		lane_set(fn, out, first + i, emit_from_int(fn, t, x));
	}
}

struct lanes vec_bitcast(struct fn *fn, struct lanes from, const struct layout *to)
{
	struct lanes out;
	uint32_t a, b, group;

	if (!from.n || !to->n)
		return lanes_none();
	a = ir_type_bits(ref_type(fn, lane(fn, from, 0)));
	b = ir_type_bits(to->leaf[0].type);
	out = lanes_new(fn, to->n);
	if (a == b) {
		for (uint32_t i = 0; i < to->n; i++) {
			ir_ref x = lane(fn, from, i);

			if (ref_type(fn, x) != to->leaf[i].type)
				x = emit_from_int(fn, to->leaf[i].type, emit_to_int(fn, x));
			lane_set(fn, out, i, x);
		}
		return out;
	}
	group = MAX(a, b);
	if (group % a || group % b)
		group = a * from.n;
	if (group > 128 || a * from.n != b * to->n || a * from.n % group)
		return unsupported(fn, "bitcast of a vector of odd lanes");
	for (uint32_t g = 0; g < a * from.n / group; g++)
		split_lanes(fn, join_lanes(fn, from, g * (group / a), group / a), to->leaf[0].type,
			out, g * (group / b), group / b);
	return out;
}

/* ---- vectors ----------------------------------------------------------------------------- */

/* element `index` of the lanes by a chain of selects; out of range gives the first */
static ir_ref pick_lane(struct fn *fn, struct lanes l, ir_ref index)
{
	ir_ref r = lane(fn, l, 0), hit;

	for (uint32_t i = 1; i < l.n; i++) {
		hit = emit_cmp(fn, IR_EQ, index, k_int(fn, ref_type(fn, index), i));
		r = emit_select(fn, hit, lane(fn, l, i), r);
	}
	return r;
}

static struct lanes extract_element(struct fn *fn, LLVMValueRef v)
{
	struct lanes l = fn_use(fn, LLVMGetOperand(v, 0));
	ir_ref index = fn_use1(fn, LLVMGetOperand(v, 1));
	uint64_t k;

	if (!k_value(fn, index, &k))
		return ir_is_const(index) ? lanes_undef(fn, layout_of_value(fn->im, v))
					  : lanes1(fn, pick_lane(fn, l, index));
	return k < l.n ? lanes_sub(l, (uint32_t)k, 1) : lanes_undef(fn, layout_of_value(fn->im, v));
}

static struct lanes insert_element(struct fn *fn, LLVMValueRef v)
{
	struct lanes out = lanes_copy(fn, fn_use(fn, LLVMGetOperand(v, 0)));
	ir_ref value = fn_use1(fn, LLVMGetOperand(v, 1)), hit;
	ir_ref index = fn_use1(fn, LLVMGetOperand(v, 2));
	uint64_t k;

	if (k_value(fn, index, &k)) {
		if (k < out.n)
			lane_set(fn, out, (uint32_t)k, value);
		return out;
	}
	for (uint32_t i = 0; i < out.n; i++) {
		hit = emit_cmp(fn, IR_EQ, index, k_int(fn, ref_type(fn, index), i));
		lane_set(fn, out, i, emit_select(fn, hit, value, lane(fn, out, i)));
	}
	return out;
}

static struct lanes import_shuffle(struct fn *fn, LLVMValueRef v)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(v, 1));
	unsigned n = LLVMGetNumMaskElements(v);
	struct lanes out = lanes_undef(fn, layout_of_value(fn->im, v));

	for (unsigned i = 0; i < n && i < out.n; i++) {
		int k = LLVMGetMaskValue(v, i);

		if (k < 0 || (uint32_t)k >= a.n + b.n)
			continue;
		lane_set(fn, out, i,
			(uint32_t)k < a.n ? lane(fn, a, (uint32_t)k)
					  : lane(fn, b, (uint32_t)k - a.n));
	}
	return out;
}

struct lanes insn_vector(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	switch (op) {
	case LLVMExtractElement: return extract_element(fn, v);
	case LLVMInsertElement: return insert_element(fn, v);
	default: return import_shuffle(fn, v);
	}
}
