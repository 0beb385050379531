#include "import/import_internal.h"

/* Memory: allocas, addresses, loads, stores, atomics. */

static uint16_t order_flags(LLVMAtomicOrdering o)
{
	switch (o) {
	case LLVMAtomicOrderingUnordered: return IR_O_UNORDERED;
	case LLVMAtomicOrderingMonotonic: return IR_O_RELAXED;
	case LLVMAtomicOrderingAcquire: return IR_O_ACQUIRE;
	case LLVMAtomicOrderingRelease: return IR_O_RELEASE;
	case LLVMAtomicOrderingAcquireRelease: return IR_O_ACQREL;
	case LLVMAtomicOrderingSequentiallyConsistent: return IR_O_SEQCST;
	default: return IR_O_NONE;
	}
}

static uint16_t access_flags(LLVMValueRef v)
{
	return order_flags(LLVMGetOrdering(v)) | (LLVMGetVolatile(v) ? IR_F_VOLATILE : 0);
}

/* False, with a reason, for fs- and gs-relative addresses, which point to no object of the IR. */
static bool require_flat(struct fn *fn, LLVMValueRef addr)
{
	LLVMTypeRef t = LLVMTypeOf(addr);

	if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && !LLVMGetPointerAddressSpace(t))
		return true;
	unsupported(fn, "access through a segment register");
	return false;
}

static uint32_t align_at(uint32_t align, uint64_t offset)
{
	uint64_t low = offset & -offset;

	return low && low < align ? (uint32_t)low : align;
}

struct lanes insn_alloca(struct fn *fn, LLVMValueRef v)
{
	LLVMTypeRef t = LLVMGetAllocatedType(v);
	ir_ref count = emit_resize(fn, 64, fn_use1(fn, LLVMGetOperand(v, 0)), false);
	struct ir_local *local;
	struct ir_insn *in;

	if (fn->reason)
		return lanes_none();
	local = vec_add(&fn->f.locals);
	local->size = type_size(fn->im, t);
	local->align = LLVMGetAlignment(v);
	local->pos = fn->pos;
	in = emit_def(fn, IR_ALLOCA, IR_PTR);
	in->arg[0] = count;
	in->imm = fn->f.locals.n - 1;
	*map_put(&fn->locals, in->dst) = fn->f.locals.n - 1;
	return lanes1(fn, in->dst);
}

/* ---- addresses --------------------------------------------------------------------------- */

struct gep {
	ir_ref base;
	uint64_t offset; /* constant part */
	ir_ref index;    /* the last variable part, not yet added */
	uint64_t scale;
};

static bool gep_step(struct fn *fn, struct gep *g, LLVMValueRef ix, LLVMTypeRef elem)
{
	uint64_t size = type_size(fn->im, elem), k;
	struct lanes l = fn_use(fn, ix);
	ir_ref r;

	if (l.n != 1 || type_is_vector(LLVMTypeOf(ix))) {
		unsupported(fn, "vector of addresses");
		return false;
	}
	r = emit_resize(fn, 64, lane(fn, l, 0), true);
	if (k_value(fn, r, &k)) {
		g->offset += k * size;
		return true;
	}
	if (!size)
		return true;
	if (g->index != IR_NONE)
		g->base = emit_padd(fn, g->base, g->index, g->scale, 0, 0);
	g->index = r;
	g->scale = size;
	return true;
}

struct lanes insn_gep(struct fn *fn, LLVMValueRef v)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(v);
	struct lanes base = fn_use(fn, LLVMGetOperand(v, 0));
	struct gep g = {.index = IR_NONE};
	int n = LLVMGetNumOperands(v);
	uint16_t flags = LLVMIsInBounds(v) ? IR_F_INBOUNDS : 0;

	if (type_is_vector(LLVMTypeOf(v)) || type_is_vector(LLVMTypeOf(LLVMGetOperand(v, 0))))
		return unsupported(fn, "vector of addresses");
	g.base = lane(fn, base, 0);
	for (int i = 1; i < n; i++) {
		LLVMValueRef ix = LLVMGetOperand(v, (unsigned)i);

		if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			unsigned k = (unsigned)LLVMConstIntGetZExtValue(ix);

			g.offset += LLVMOffsetOfElement(fn->im->td, t, k);
			t = LLVMStructGetTypeAtIndex(t, k);
			continue;
		}
		if (i > 1)
			t = LLVMGetElementType(t);
		if (!gep_step(fn, &g, ix, t))
			return lanes_none();
	}
	if (g.index == IR_NONE)
		return lanes1(fn, emit_offset(fn, g.base, (int64_t)g.offset, flags));
	return lanes1(fn, emit_padd(fn, g.base, g.index, g.scale, (int64_t)g.offset, flags));
}

/* ---- loads and stores -------------------------------------------------------------------- */

/* False, with a reason, for an atomic access that would become several accesses. */
static bool in_one(struct fn *fn, const struct layout *l, uint16_t flags)
{
	if (l->n == 1 || ir_order(flags) == IR_O_NONE)
		return true;
	unsupported(fn, "atomic access to several lanes");
	return false;
}

/* The integer that holds all lanes of a packed vector. */
static ir_type packed_type(struct fn *fn, const struct layout *l)
{
	uint32_t bits = l->n * ir_type_bits(l->leaf[0].type);

	for (uint32_t i = 0; i < l->n; i++)
		if (l->leaf[i].type != l->leaf[0].type)
			bits = UINT32_MAX;
	bits = bits > 128 ? bits : ALIGN_UP(bits, 8);
	if (bits > 128) {
		unsupported(fn, "memory access to a vector of odd lanes");
		return 8;
	}
	return (ir_type)bits;
}

struct lanes insn_load(struct fn *fn, LLVMValueRef v)
{
	const struct layout *l = layout_of_value(fn->im, v);
	ir_ref addr = fn_use1(fn, LLVMGetOperand(v, 0));
	uint32_t align = LLVMGetAlignment(v);
	uint16_t flags = access_flags(v);
	struct lanes out;

	if (!require_flat(fn, LLVMGetOperand(v, 0)) || !in_one(fn, l, flags))
		return lanes_none();
	if (l->packed && type_is_vector(LLVMTypeOf(v))) {
		ir_type whole = packed_type(fn, l);
		uint32_t bits = ir_type_bits(l->leaf[0].type) * l->n;
		ir_ref r = emit_load(fn, whole, addr, flags, align);

		r = bits < 128 ? emit_resize(fn, (ir_type)bits, r, false) : r;
		return vec_bitcast(fn, lanes1(fn, r), l);
	}
	if (l->packed)
		return unsupported(fn, "memory access to a vector of odd lanes");
	out = lanes_new(fn, l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t at = l->leaf[i].offset;
		ir_ref p = emit_offset(fn, addr, (int64_t)at, 0);

		lane_set(fn, out, i, emit_load(fn, l->leaf[i].type, p, flags, align_at(align, at)));
	}
	return out;
}

struct lanes insn_store(struct fn *fn, LLVMValueRef v)
{
	LLVMValueRef value = LLVMGetOperand(v, 0);
	const struct layout *l = layout_of_value(fn->im, value);
	struct lanes from = fn_use(fn, value);
	ir_ref addr = fn_use1(fn, LLVMGetOperand(v, 1));
	uint32_t align = LLVMGetAlignment(v);
	uint16_t flags = access_flags(v);

	if (!require_flat(fn, LLVMGetOperand(v, 1)) || !in_one(fn, l, flags))
		return lanes_none();
	if (l->packed && type_is_vector(LLVMTypeOf(value))) {
		ir_type whole = packed_type(fn, l);
		struct leaf leaf = {(ir_type)MIN(ir_type_bits(l->leaf[0].type) * l->n, 128), 0};
		struct layout one = {.ok = true, .n = 1, .leaf = &leaf};
		struct lanes r = vec_bitcast(fn, from, &one);

		if (fn->reason)
			return lanes_none();
		emit_store(fn, addr, emit_resize(fn, whole, lane(fn, r, 0), false), flags, align);
		return lanes_none();
	}
	if (l->packed)
		return unsupported(fn, "memory access to a vector of odd lanes");
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t at = l->leaf[i].offset;
		ir_ref p = emit_offset(fn, addr, (int64_t)at, 0);

		emit_store(fn, p, lane(fn, from, i), flags, align_at(align, at));
	}
	return lanes_none();
}

/* ---- atomics ----------------------------------------------------------------------------- */

static int rmw_op(LLVMAtomicRMWBinOp op)
{
	switch (op) {
	case LLVMAtomicRMWBinOpXchg: return IR_RMW_XCHG;
	case LLVMAtomicRMWBinOpAdd: return IR_RMW_ADD;
	case LLVMAtomicRMWBinOpSub: return IR_RMW_SUB;
	case LLVMAtomicRMWBinOpAnd: return IR_RMW_AND;
	case LLVMAtomicRMWBinOpNand: return IR_RMW_NAND;
	case LLVMAtomicRMWBinOpOr: return IR_RMW_OR;
	case LLVMAtomicRMWBinOpXor: return IR_RMW_XOR;
	case LLVMAtomicRMWBinOpMax: return IR_RMW_MAX;
	case LLVMAtomicRMWBinOpMin: return IR_RMW_MIN;
	case LLVMAtomicRMWBinOpUMax: return IR_RMW_UMAX;
	case LLVMAtomicRMWBinOpUMin: return IR_RMW_UMIN;
	case LLVMAtomicRMWBinOpFAdd: return IR_RMW_FADD;
	case LLVMAtomicRMWBinOpFSub: return IR_RMW_FSUB;
	default: return -1;
	}
}

struct lanes insn_rmw(struct fn *fn, LLVMValueRef v)
{
	int op = rmw_op(LLVMGetAtomicRMWBinOp(v));
	ir_ref addr = fn_use1(fn, LLVMGetOperand(v, 0));
	ir_ref value = fn_use1(fn, LLVMGetOperand(v, 1));
	struct ir_insn *in;

	if (op < 0)
		return unsupported(
			fn, "atomicrmw with operation %d", (int)LLVMGetAtomicRMWBinOp(v));
	if (!require_flat(fn, LLVMGetOperand(v, 0)) ||
		((op == IR_RMW_FADD || op == IR_RMW_FSUB) && !fn_computable(fn, value)))
		return lanes_none();
	in = emit_def(fn, (enum ir_op)op, ref_type(fn, value));
	in->arg[0] = addr;
	in->arg[1] = value;
	in->flags = access_flags(v);
	in->imm = LLVMGetAlignment(v);
	return lanes1(fn, in->dst);
}

struct lanes insn_cmpxchg(struct fn *fn, LLVMValueRef v)
{
	ir_ref addr = fn_use1(fn, LLVMGetOperand(v, 0));
	ir_ref expected = fn_use1(fn, LLVMGetOperand(v, 1));
	ir_ref value = fn_use1(fn, LLVMGetOperand(v, 2));
	struct lanes out = lanes_new(fn, 2);
	struct ir_insn *in;

	if (!require_flat(fn, LLVMGetOperand(v, 0)))
		return lanes_none();
	in = emit_def(fn, IR_CAS, ref_type(fn, value));
	in->arg[0] = addr;
	in->arg[1] = expected;
	in->arg[2] = value;
	in->imm = LLVMGetAlignment(v);
	in->flags = order_flags(LLVMGetCmpXchgSuccessOrdering(v));
	in->flags |= (uint16_t)(order_flags(LLVMGetCmpXchgFailureOrdering(v)) << IR_F_FAIL_SHIFT);
	if (LLVMGetVolatile(v))
		in->flags |= IR_F_VOLATILE;
	if (LLVMGetWeak(v))
		in->flags |= IR_F_WEAK;
	lane_set(fn, out, 0, in->dst);
	lane_set(fn, out, 1, reg_new(fn, 1));
	return out;
}

struct lanes insn_fence(struct fn *fn, LLVMValueRef v)
{
	struct ir_insn *in = emit(fn, IR_FENCE, IR_VOID);

	in->flags = order_flags(LLVMGetOrdering(v));
	if (LLVMIsAtomicSingleThread(v))
		in->flags |= IR_F_COMPILER;
	return lanes_none();
}
