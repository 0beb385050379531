#include "import/import_internal.h"

/* Arithmetic, comparisons, casts: lane by lane. */

static int binary_op(LLVMOpcode op)
{
	switch (op) {
	case LLVMAdd: return IR_ADD;
	case LLVMSub: return IR_SUB;
	case LLVMMul: return IR_MUL;
	case LLVMUDiv: return IR_UDIV;
	case LLVMSDiv: return IR_SDIV;
	case LLVMURem: return IR_UREM;
	case LLVMSRem: return IR_SREM;
	case LLVMShl: return IR_SHL;
	case LLVMLShr: return IR_LSHR;
	case LLVMAShr: return IR_ASHR;
	case LLVMAnd: return IR_AND;
	case LLVMOr: return IR_OR;
	case LLVMXor: return IR_XOR;
	case LLVMFAdd: return IR_FADD;
	case LLVMFSub: return IR_FSUB;
	case LLVMFMul: return IR_FMUL;
	case LLVMFDiv: return IR_FDIV;
	case LLVMFRem: return IR_FREM;
	default: return -1;
	}
}

static uint16_t wrap_flags(LLVMValueRef v, int op)
{
	uint16_t flags = 0;

	if ((op != IR_ADD && op != IR_SUB && op != IR_MUL && op != IR_SHL) ||
		!LLVMIsAInstruction(v))
		return 0;
	if (LLVMGetNSW(v))
		flags |= IR_F_NSW;
	if (LLVMGetNUW(v))
		flags |= IR_F_NUW;
	return flags;
}

bool fn_computable(struct fn *fn, ir_ref r)
{
	ir_type t = ref_type(fn, r);

	if (t != IR_F16 && t != IR_F128)
		return true;
	unsupported(fn, "arithmetic on '%s'", t == IR_F16 ? "_Float16" : "__float128");
	return false;
}

struct lanes insn_binary(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(v, 1));
	struct lanes out = lanes_new(fn, a.n);
	int o = binary_op(op);
	uint16_t flags = wrap_flags(v, o);

	if (type_is_wide(LLVMTypeOf(v)) && op != LLVMAnd && op != LLVMOr && op != LLVMXor)
		return wide_binary(fn, v, op);
	for (uint32_t i = 0; i < a.n; i++) {
		if (!fn_computable(fn, lane(fn, a, i)))
			return lanes_none();
		lane_set(fn, out, i, emit_bin(fn, (enum ir_op)o, lane(fn, a, i), lane(fn, b, i)));
		vec_last(&fn->f.insns).flags = flags;
	}
	return out;
}

struct lanes insn_unary(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0));
	struct lanes out = lanes_new(fn, a.n);

	for (uint32_t i = 0; i < a.n; i++) {
		if (op == LLVMFNeg && !fn_computable(fn, lane(fn, a, i)))
			return lanes_none();
		lane_set(fn, out, i,
			emit_un(fn, op == LLVMFNeg ? IR_FNEG : IR_FREEZE, lane(fn, a, i)));
	}
	return out;
}

/* ---- comparisons ------------------------------------------------------------------------- */

struct predicate {
	int op; /* -1: the result is a constant */
	bool swap;
	bool value;
};

static const struct predicate int_predicates[] = {
	[LLVMIntEQ] = {IR_EQ, false, false},
	[LLVMIntNE] = {IR_NE, false, false},
	[LLVMIntUGT] = {IR_ULT, true, false},
	[LLVMIntUGE] = {IR_ULE, true, false},
	[LLVMIntULT] = {IR_ULT, false, false},
	[LLVMIntULE] = {IR_ULE, false, false},
	[LLVMIntSGT] = {IR_SLT, true, false},
	[LLVMIntSGE] = {IR_SLE, true, false},
	[LLVMIntSLT] = {IR_SLT, false, false},
	[LLVMIntSLE] = {IR_SLE, false, false},
};

static const struct predicate real_predicates[] = {
	[LLVMRealPredicateFalse] = {-1, false, false},
	[LLVMRealOEQ] = {IR_FOEQ, false, false},
	[LLVMRealOGT] = {IR_FOLT, true, false},
	[LLVMRealOGE] = {IR_FOLE, true, false},
	[LLVMRealOLT] = {IR_FOLT, false, false},
	[LLVMRealOLE] = {IR_FOLE, false, false},
	[LLVMRealONE] = {IR_FONE, false, false},
	[LLVMRealORD] = {IR_FORD, false, false},
	[LLVMRealUNO] = {IR_FUNO, false, false},
	[LLVMRealUEQ] = {IR_FUEQ, false, false},
	[LLVMRealUGT] = {IR_FULT, true, false},
	[LLVMRealUGE] = {IR_FULE, true, false},
	[LLVMRealULT] = {IR_FULT, false, false},
	[LLVMRealULE] = {IR_FULE, false, false},
	[LLVMRealUNE] = {IR_FUNE, false, false},
	[LLVMRealPredicateTrue] = {-1, false, true},
};

static ir_ref emit_compare(struct fn *fn, const struct predicate *p, ir_ref a, ir_ref b)
{
	if (p->op < 0)
		return k_int(fn, 1, p->value);
	return p->swap ? emit_cmp(fn, (enum ir_op)p->op, b, a)
		       : emit_cmp(fn, (enum ir_op)p->op, a, b);
}

ir_ref fcmp_lane(struct fn *fn, LLVMRealPredicate p, ir_ref a, ir_ref b)
{
	if (!fn_computable(fn, a))
		return k_undef(fn, 1);
	return emit_compare(fn, &real_predicates[p], a, b);
}

struct lanes insn_compare(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0));
	struct lanes b = fn_use(fn, LLVMGetOperand(v, 1));
	struct lanes out = lanes_new(fn, a.n);

	if (type_is_wide(LLVMTypeOf(LLVMGetOperand(v, 0))))
		return wide_compare(fn, LLVMGetICmpPredicate(v), a, b);
	for (uint32_t i = 0; i < a.n; i++) {
		ir_ref x = lane(fn, a, i), y = lane(fn, b, i);

		lane_set(fn, out, i,
			op == LLVMICmp
				? emit_compare(fn, &int_predicates[LLVMGetICmpPredicate(v)], x, y)
				: fcmp_lane(fn, LLVMGetFCmpPredicate(v), x, y));
	}
	return out;
}

struct lanes insn_select(struct fn *fn, LLVMValueRef v)
{
	struct lanes c = fn_use(fn, LLVMGetOperand(v, 0));
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 1));
	struct lanes b = fn_use(fn, LLVMGetOperand(v, 2));
	bool each = type_is_vector(LLVMTypeOf(LLVMGetOperand(v, 0)));
	struct lanes out = lanes_new(fn, a.n);

	for (uint32_t i = 0; i < a.n; i++)
		lane_set(fn, out, i,
			emit_select(fn, lane(fn, c, each ? i : 0), lane(fn, a, i), lane(fn, b, i)));
	return out;
}

/* ---- casts ------------------------------------------------------------------------------- */

static int cast_op(LLVMOpcode op)
{
	switch (op) {
	case LLVMTrunc: return IR_TRUNC;
	case LLVMZExt: return IR_ZEXT;
	case LLVMSExt: return IR_SEXT;
	case LLVMFPToUI: return IR_FPTOUI;
	case LLVMFPToSI: return IR_FPTOSI;
	case LLVMUIToFP: return IR_UITOFP;
	case LLVMSIToFP: return IR_SITOFP;
	case LLVMFPTrunc: return IR_FPTRUNC;
	case LLVMFPExt: return IR_FPEXT;
	default: return -1;
	}
}

static ir_ref cast_lane(struct fn *fn, LLVMOpcode op, ir_type to, ir_ref a)
{
	int o = cast_op(op);

	switch (op) {
	case LLVMPtrToInt: return emit_resize(fn, to, emit_conv(fn, IR_PTRTOINT, 64, a), false);
	case LLVMIntToPtr: return emit_conv(fn, IR_INTTOPTR, IR_PTR, emit_resize(fn, 64, a, false));
	case LLVMAddrSpaceCast: return a;
	default: break;
	}
	if (o < 0) {
		unsupported(fn, "cast with opcode %d", (int)op);
		return a;
	}
	if (o >= IR_FPTRUNC && o <= IR_SITOFP &&
		(!fn_computable(fn, a) || to == IR_F16 || to == IR_F128)) {
		unsupported(fn, "conversion to '%s'", to == IR_F16 ? "_Float16" : "__float128");
		return a;
	}
	return emit_conv(fn, (enum ir_op)o, to, a);
}

struct lanes insn_cast(struct fn *fn, LLVMValueRef v, LLVMOpcode op)
{
	const struct layout *to = layout_of_value(fn->im, v);
	struct lanes a = fn_use(fn, LLVMGetOperand(v, 0));
	struct lanes out;

	if (op == LLVMBitCast)
		return vec_bitcast(fn, a, to);
	if (type_is_wide(LLVMTypeOf(v)) || type_is_wide(LLVMTypeOf(LLVMGetOperand(v, 0))))
		return wide_cast(fn, v, op);
	if (a.n != to->n)
		return unsupported(fn, "cast between different numbers of lanes");
	out = lanes_new(fn, a.n);
	for (uint32_t i = 0; i < a.n; i++)
		lane_set(fn, out, i, cast_lane(fn, op, to->leaf[i].type, lane(fn, a, i)));
	return out;
}
