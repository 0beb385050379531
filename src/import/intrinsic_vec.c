#include "import/intrinsic.h"

#define HANDLER(f) struct lanes f(struct fn *fn, LLVMValueRef call, const struct intrinsic *in)

HANDLER(vec_reduce)
{
	struct lanes v = fn_use(fn, LLVMGetOperand(call, 0));
	ir_ref r = lane(fn, v, 0);

	for (uint32_t i = 1; i < v.n; i++)
		r = emit_bin(fn, (enum ir_op)in->op, r, lane(fn, v, i));
	return lanes1(fn, r);
}

/* sequential, from the start value, in the order of the lanes */
HANDLER(vec_reduce_float)
{
	ir_ref r = fn_use1(fn, LLVMGetOperand(call, 0));
	struct lanes v = fn_use(fn, LLVMGetOperand(call, 1));

	for (uint32_t i = 0; i < v.n; i++)
		r = emit_bin(fn, (enum ir_op)in->op, r, lane(fn, v, i));
	return lanes1(fn, r);
}

HANDLER(vec_reverse)
{
	struct lanes v = fn_use(fn, LLVMGetOperand(call, 0)), out = lanes_new(fn, v.n);

	(void)in;
	for (uint32_t i = 0; i < v.n; i++)
		lane_set(fn, out, i, lane(fn, v, v.n - 1 - i));
	return out;
}

/* extract(vec, index) and insert(vec, part, index) */
HANDLER(vec_subvector)
{
	struct lanes v = fn_use(fn, LLVMGetOperand(call, 0)), part, out;
	uint64_t at = UINT64_MAX;

	k_value(fn, fn_use1(fn, LLVMGetOperand(call, in->op ? 2 : 1)), &at);
	part = in->op ? fn_use(fn, LLVMGetOperand(call, 1))
		      : lanes_new(fn, layout_of_value(fn->im, call)->n);
	if (at > v.n || part.n > v.n - at)
		return unsupported(fn, "subvector past the end");
	if (!in->op)
		return lanes_sub(v, (uint32_t)at, part.n);
	out = lanes_new(fn, v.n);
	for (uint32_t i = 0; i < v.n; i++)
		lane_set(fn, out, i,
			i >= at && i - at < part.n ? lane(fn, part, (uint32_t)(i - at))
						   : lane(fn, v, i));
	return out;
}

/* the sign bits of the lanes, the first one lowest */
HANDLER(vec_movmsk)
{
	struct lanes v = fn_use(fn, LLVMGetOperand(call, 0));
	ir_type t = layout_of_value(fn->im, call)->leaf[0].type;
	ir_ref r = k_int(fn, t, 0), x;

	(void)in;
	for (uint32_t i = 0; i < v.n; i++) {
		x = emit_to_int(fn, lane(fn, v, i));
		x = emit_cmp(fn, IR_SLT, x, k_int(fn, ref_type(fn, x), 0));
		x = emit_bin(fn, IR_SHL, emit_resize(fn, t, x, false), k_int(fn, t, i));
		r = emit_bin(fn, IR_OR, r, x);
	}
	return lanes1(fn, r);
}
