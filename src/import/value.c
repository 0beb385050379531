#include "import/import_internal.h"

#include "base/strbuf.h"

/* Operands: values that are translated already, and constants. */

struct lanes lanes_new(struct fn *fn, uint32_t n)
{
	struct lanes l = {fn->pool.n, n};

	vec_resize(&fn->pool, fn->pool.n + n);
	return l;
}

struct lanes lanes1(struct fn *fn, ir_ref r)
{
	vec_push(&fn->pool, r);
	return (struct lanes){fn->pool.n - 1, 1};
}

struct lanes lanes_undef(struct fn *fn, const struct layout *l)
{
	struct lanes out = lanes_new(fn, l->n);

	for (uint32_t i = 0; i < l->n; i++)
		lane_set(fn, out, i, k_undef(fn, l->leaf[i].type));
	return out;
}

void fn_def(struct fn *fn, LLVMValueRef v, struct lanes l)
{
	const struct import_watch *w = fn->im->watch;

	*map_put(&fn->vals, map_ptr(v)) = (uint64_t)l.start << 32 | l.n;
	if (w && w->value && l.n && !LLVMIsConstant(v))
		w->value(w->ctx, fn->id, v, fn->pool.at + l.start, l.n);
}

struct lanes unsupported(struct fn *fn, const char *fmt, ...)
{
	struct strbuf b = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (!fn->reason)
		fn->reason = str_id(fn->im, b.s, b.n);
	strbuf_release(&b);
	return lanes_none();
}

/* ---- constants --------------------------------------------------------------------------- */

static struct lanes use_aggregate(struct fn *fn, LLVMValueRef v, uint32_t nelems)
{
	VEC(ir_ref) all = {0};
	struct lanes l;

	for (uint32_t i = 0; i < nelems; i++) {
		LLVMValueRef e = LLVMGetAggregateElement(v, i);

		if (!e) {
			vec_release(&all);
			return unsupported(fn, "constant of a kind that cannot be split");
		}
		l = fn_use(fn, e);
		for (uint32_t k = 0; k < l.n; k++)
			vec_push(&all, lane(fn, l, k));
	}
	l = lanes_new(fn, all.n);
	vec_each (&all, i)
		lane_set(fn, l, i, all.at[i]);
	vec_release(&all);
	return l;
}

static uint32_t element_count(LLVMTypeRef t)
{
	switch (LLVMGetTypeKind(t)) {
	case LLVMStructTypeKind: return LLVMCountStructElementTypes(t);
	case LLVMArrayTypeKind: return (uint32_t)LLVMGetArrayLength2(t);
	case LLVMVectorTypeKind: return LLVMGetVectorSize(t);
	default: return 0;
	}
}

static struct lanes zero_lanes(struct fn *fn, const struct layout *l)
{
	struct lanes out = lanes_new(fn, l->n);

	for (uint32_t i = 0; i < l->n; i++)
		lane_set(fn, out, i, k_int(fn, l->leaf[i].type, 0));
	return out;
}

/* A constant expression becomes instructions before each user; they are not shared, because they
 * need not dominate another user. */
static struct lanes expand_constant(struct fn *fn, LLVMValueRef v)
{
	LLVMOpcode op = LLVMGetConstOpcode(v);

	switch (op) {
	case LLVMGetElementPtr: return insn_gep(fn, v);
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr: return insn_cast(fn, v, op);
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector: return insn_vector(fn, v, op);
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMXor:
	case LLVMShl: return insn_binary(fn, v, op);
	default: return unsupported(fn, "constant expression with opcode %d", (int)op);
	}
}

static bool is_splittable(LLVMValueKind k)
{
	return k == LLVMConstantStructValueKind || k == LLVMConstantArrayValueKind ||
	       k == LLVMConstantVectorValueKind || k == LLVMConstantDataArrayValueKind ||
	       k == LLVMConstantDataVectorValueKind;
}

static struct lanes use_constant(struct fn *fn, LLVMValueRef v)
{
	const struct layout *l = layout_of_value(fn->im, v);
	LLVMValueKind kind = LLVMGetValueKind(v);
	struct ir_const c;
	struct lanes out;

	if (!l->ok)
		return unsupported(fn, "constant of a type that has no counterpart");
	if (const_eval(fn->im, v, &c)) {
		if (c.type <= 128 && c.kind != IR_C_BITS && c.kind != IR_C_UNDEF) {
			ir_type t = c.type;

			c.type = IR_PTR;
			return lanes1(fn, emit_conv(fn, IR_PTRTOINT, t, k_const(fn, c)));
		}
		out = lanes1(fn, k_const(fn, c));
	} else if (kind == LLVMConstantAggregateZeroValueKind) {
		out = zero_lanes(fn, l);
	} else if (kind == LLVMUndefValueValueKind || kind == LLVMPoisonValueValueKind) {
		out = lanes_undef(fn, l);
	} else if (kind == LLVMConstantIntValueKind) {
		out = wide_constant(fn, v);
	} else if (is_splittable(kind)) {
		/* not cached: an element may have become an instruction at this place */
		return use_aggregate(fn, v, element_count(LLVMTypeOf(v)));
	} else if (kind == LLVMConstantExprValueKind) {
		return expand_constant(fn, v);
	} else {
		return unsupported(fn, "operand of an unknown kind");
	}
	fn_def(fn, v, out);
	return out;
}

struct lanes fn_use(struct fn *fn, LLVMValueRef v)
{
	uint64_t *slot = map_get(&fn->vals, map_ptr(v));

	struct lanes l;

	if (slot)
		return (struct lanes){(uint32_t)(*slot >> 32), (uint32_t)*slot};
	if (LLVMIsConstant(v))
		l = use_constant(fn, v);
	else
		l = unsupported(fn, "operand that could not be imported");
	/* callers rely on the number of lanes, also after an error */
	return fn->reason ? lanes_undef(fn, layout_of_value(fn->im, v)) : l;
}

ir_ref fn_use1(struct fn *fn, LLVMValueRef v)
{
	struct lanes l = fn_use(fn, v);

	if (l.n == 1)
		return lane(fn, l, 0);
	if (!fn->reason)
		unsupported(fn, "aggregate where a scalar is expected");
	return k_undef(fn, 1);
}
