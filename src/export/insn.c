#include "export/export_internal.h"

#include <math.h>
#include <string.h>

/* One IR instruction becomes one LLVM instruction or one call of an intrinsic, with few exceptions. */

static LLVMValueRef call_intrinsic(struct body *o, const char *name, LLVMTypeRef *types,
	unsigned ntypes, LLVMValueRef *args, unsigned nargs)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef f;

	BUG_ON(!id);
	f = LLVMGetIntrinsicDeclaration(o->x->mod, id, types, ntypes);
	return LLVMBuildCall2(o->x->b, LLVMGlobalGetValueType(f), f, args, nargs, "");
}

static LLVMAtomicOrdering order_of(enum ir_order order)
{
	static const LLVMAtomicOrdering orders[] = {
		[IR_O_NONE] = LLVMAtomicOrderingNotAtomic,
		[IR_O_UNORDERED] = LLVMAtomicOrderingUnordered,
		[IR_O_RELAXED] = LLVMAtomicOrderingMonotonic,
		[IR_O_ACQUIRE] = LLVMAtomicOrderingAcquire,
		[IR_O_RELEASE] = LLVMAtomicOrderingRelease,
		[IR_O_ACQREL] = LLVMAtomicOrderingAcquireRelease,
		[IR_O_SEQCST] = LLVMAtomicOrderingSequentiallyConsistent,
	};

	return orders[order];
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static int opcode_of(enum ir_op op)
{
	switch (op) {
	case IR_ADD: return LLVMAdd;
	case IR_SUB: return LLVMSub;
	case IR_MUL: return LLVMMul;
	case IR_UDIV: return LLVMUDiv;
	case IR_SDIV: return LLVMSDiv;
	case IR_UREM: return LLVMURem;
	case IR_SREM: return LLVMSRem;
	case IR_SHL: return LLVMShl;
	case IR_LSHR: return LLVMLShr;
	case IR_ASHR: return LLVMAShr;
	case IR_AND: return LLVMAnd;
	case IR_OR: return LLVMOr;
	case IR_XOR: return LLVMXor;
	case IR_FADD: return LLVMFAdd;
	case IR_FSUB: return LLVMFSub;
	case IR_FMUL: return LLVMFMul;
	case IR_FDIV: return LLVMFDiv;
	case IR_FREM: return LLVMFRem;
	case IR_TRUNC: return LLVMTrunc;
	case IR_ZEXT: return LLVMZExt;
	case IR_SEXT: return LLVMSExt;
	case IR_FPTRUNC: return LLVMFPTrunc;
	case IR_FPEXT: return LLVMFPExt;
	case IR_FPTOUI: return LLVMFPToUI;
	case IR_FPTOSI: return LLVMFPToSI;
	case IR_UITOFP: return LLVMUIToFP;
	case IR_SITOFP: return LLVMSIToFP;
	case IR_BITCAST: return LLVMBitCast;
	case IR_PTRTOINT: return LLVMPtrToInt;
	case IR_INTTOPTR: return LLVMIntToPtr;
	default: return -1;
	}
}

static const char *intrinsic_of(enum ir_op op)
{
	switch (op) {
	case IR_SMIN: return "llvm.smin";
	case IR_SMAX: return "llvm.smax";
	case IR_UMIN: return "llvm.umin";
	case IR_UMAX: return "llvm.umax";
	case IR_UADDSAT: return "llvm.uadd.sat";
	case IR_SADDSAT: return "llvm.sadd.sat";
	case IR_USUBSAT: return "llvm.usub.sat";
	case IR_SSUBSAT: return "llvm.ssub.sat";
	case IR_FCOPYSIGN: return "llvm.copysign";
	case IR_FMIN: return "llvm.minnum";
	case IR_FMAX: return "llvm.maxnum";
	case IR_CTPOP: return "llvm.ctpop";
	case IR_CTLZ: return "llvm.ctlz";
	case IR_CTTZ: return "llvm.cttz";
	case IR_BSWAP: return "llvm.bswap";
	case IR_BITREV: return "llvm.bitreverse";
	case IR_ABS: return "llvm.abs";
	case IR_FABS: return "llvm.fabs";
	case IR_FSQRT: return "llvm.sqrt";
	case IR_FFLOOR: return "llvm.floor";
	case IR_FCEIL: return "llvm.ceil";
	case IR_FTRUNC: return "llvm.trunc";
	case IR_FRINT: return "llvm.rint";
	case IR_FNEARBYINT: return "llvm.nearbyint";
	case IR_FROUND: return "llvm.round";
	case IR_FROUNDEVEN: return "llvm.roundeven";
	case IR_FMA: return "llvm.fma";
	case IR_FSHL: return "llvm.fshl";
	case IR_FSHR: return "llvm.fshr";
	case IR_UADDO: return "llvm.uadd.with.overflow";
	case IR_SADDO: return "llvm.sadd.with.overflow";
	case IR_USUBO: return "llvm.usub.with.overflow";
	case IR_SSUBO: return "llvm.ssub.with.overflow";
	case IR_UMULO: return "llvm.umul.with.overflow";
	case IR_SMULO: return "llvm.smul.with.overflow";
	case IR_VA_START: return "llvm.va_start";
	case IR_VA_END: return "llvm.va_end";
	case IR_VA_COPY: return "llvm.va_copy";
	case IR_STACKSAVE: return "llvm.stacksave";
	case IR_STACKRESTORE: return "llvm.stackrestore";
	case IR_MEMCPY: return "llvm.memcpy";
	case IR_MEMMOVE: return "llvm.memmove";
	case IR_MEMSET: return "llvm.memset";
	case IR_LIFE_START: return "llvm.lifetime.start";
	case IR_LIFE_END: return "llvm.lifetime.end";
	default: return NULL;
	}
}

static bool is_nan(LLVMValueRef v)
{
	LLVMBool loses;

	return LLVMIsAConstantFP(v) && isnan(LLVMConstRealGetDouble(v, &loses));
}

/* LLVM computes with constants at once. x86 gives a NaN the sign that LLVM does not give it. */
static LLVMValueRef host_nan(
	struct body *o, ir_type t, LLVMValueRef v, LLVMValueRef a, LLVMValueRef b)
{
	struct ir_const c = {.kind = IR_C_BITS, .type = t};

	if (!is_nan(v) || is_nan(a) || is_nan(b))
		return v;
	switch (t) {
	case IR_F32: c.lo = 0xffc00000; break;
	case IR_F64: c.lo = 0xfff8ull << 48; break;
	case IR_F80:
		c.hi = 0xffff;
		c.lo = 0xc000ull << 48;
		break;
	default: return v;
	}
	return body_bits(o, &c);
}

/* The operation on the operands arg[0], arg[1], …, of which there are n. */
static LLVMValueRef arithmetic(struct body *o, const struct ir_insn *in, unsigned n)
{
	LLVMTypeRef t = o->x->types[in->type];
	LLVMValueRef a[4], v;
	int op = opcode_of(in->op);

	for (unsigned i = 0; i < n; i++)
		a[i] = body_use(o, in->arg[i]);
	if (in->op == IR_COPY)
		return a[0];
	if (in->op == IR_FREEZE)
		return LLVMBuildFreeze(o->x->b, a[0], "");
	if (in->op == IR_FNEG)
		return LLVMBuildFNeg(o->x->b, a[0], "");
	if (op < 0) {
		/* no result is undefined: not for 0, not for the least number */
		if (in->op == IR_CTLZ || in->op == IR_CTTZ || in->op == IR_ABS)
			a[n++] = LLVMConstInt(o->x->types[1], 0, false);
		return call_intrinsic(o, intrinsic_of(in->op), &t, 1, a, n);
	}
	if (n == 1) {
		v = LLVMBuildCast(o->x->b, (LLVMOpcode)op, a[0], t, "");
		/* a constant out of range: stays an instruction, which the IR gives a value */
		if (LLVMIsPoison(v) && !LLVMIsPoison(a[0]))
			v = LLVMBuildCast(
				o->x->b, (LLVMOpcode)op, LLVMBuildFreeze(o->x->b, a[0], ""), t, "");
		return v;
	}
	v = LLVMBuildBinOp(o->x->b, (LLVMOpcode)op, a[0], a[1], "");
	if (in->flags & IR_F_NSW && LLVMIsABinaryOperator(v))
		LLVMSetNSW(v, true);
	if (in->flags & IR_F_NUW && LLVMIsABinaryOperator(v))
		LLVMSetNUW(v, true);
	return host_nan(o, in->type, v, a[0], a[1]);
}

static LLVMValueRef compare(struct body *o, const struct ir_insn *in)
{
	static const LLVMIntPredicate ints[] = {[IR_EQ - IR_EQ] = LLVMIntEQ,
		[IR_NE - IR_EQ] = LLVMIntNE,
		[IR_ULT - IR_EQ] = LLVMIntULT,
		[IR_ULE - IR_EQ] = LLVMIntULE,
		[IR_SLT - IR_EQ] = LLVMIntSLT,
		[IR_SLE - IR_EQ] = LLVMIntSLE};
	static const LLVMRealPredicate reals[] = {[IR_FOEQ - IR_FOEQ] = LLVMRealOEQ,
		[IR_FOLT - IR_FOEQ] = LLVMRealOLT,
		[IR_FOLE - IR_FOEQ] = LLVMRealOLE,
		[IR_FONE - IR_FOEQ] = LLVMRealONE,
		[IR_FORD - IR_FOEQ] = LLVMRealORD,
		[IR_FUNO - IR_FOEQ] = LLVMRealUNO,
		[IR_FUEQ - IR_FOEQ] = LLVMRealUEQ,
		[IR_FULT - IR_FOEQ] = LLVMRealULT,
		[IR_FULE - IR_FOEQ] = LLVMRealULE,
		[IR_FUNE - IR_FOEQ] = LLVMRealUNE};
	LLVMValueRef a = body_use(o, in->arg[0]), b = body_use(o, in->arg[1]);

	return in->op < IR_FOEQ ? LLVMBuildICmp(o->x->b, ints[in->op - IR_EQ], a, b, "")
				: LLVMBuildFCmp(o->x->b, reals[in->op - IR_FOEQ], a, b, "");
}

static void overflow(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef v = arithmetic(o, in, 2);

	body_def(o, in->dst, LLVMBuildExtractValue(o->x->b, v, 0, ""));
	body_def(o, in->dst + 1, LLVMBuildExtractValue(o->x->b, v, 1, ""));
}

/* ---- memory ------------------------------------------------------------------------------ */

/* The alignment of an access: a power of two, and not more than the IR promises. */
static unsigned align_of(const struct ir_insn *in)
{
	uint64_t align = (uint64_t)in->imm;

	return align ? (unsigned)(align & -align) : 1;
}

static LLVMValueRef allocate(struct body *o, const struct ir_insn *in)
{
	const struct ir_local *l = &o->f->locals.at[in->imm];
	LLVMTypeRef t = LLVMArrayType2(o->x->types[8], l->size);
	LLVMValueRef count = body_use(o, in->arg[0]), v;
	const char *name = l->name ? ir_str(o->x->p, l->name) : "";

	if (LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) == 1)
		v = LLVMBuildAlloca(o->x->b, t, name);
	else
		v = LLVMBuildArrayAlloca(o->x->b, t, count, name);
	if (l->align)
		LLVMSetAlignment(v, l->align);
	return v;
}

/* Only one step keeps `inbounds`: the sum of two may be inside of an object though the first
 * summand alone is not. */
static LLVMValueRef pointer_add(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef p = body_use(o, in->arg[0]), index;
	bool scaled = in->arg[1] != IR_NONE && in->arg[2];
	bool inbounds = in->flags & IR_F_INBOUNDS && !(scaled && in->imm);
	LLVMTypeRef byte = o->x->types[8], t = byte;

	if (scaled) {
		if (in->arg[2] > 1)
			t = LLVMArrayType2(byte, in->arg[2]);
		index = body_use(o, in->arg[1]);
		p = inbounds ? LLVMBuildInBoundsGEP2(o->x->b, t, p, &index, 1, "")
			     : LLVMBuildGEP2(o->x->b, t, p, &index, 1, "");
	}
	if (in->imm) {
		index = LLVMConstInt(o->x->types[64], (uint64_t)in->imm, true);
		p = inbounds ? LLVMBuildInBoundsGEP2(o->x->b, byte, p, &index, 1, "")
			     : LLVMBuildGEP2(o->x->b, byte, p, &index, 1, "");
	}
	return p;
}

static void set_access(LLVMValueRef v, const struct ir_insn *in)
{
	LLVMSetVolatile(v, (in->flags & IR_F_VOLATILE) != 0);
	if (in->imm > 0)
		LLVMSetAlignment(v, align_of(in));
}

static LLVMValueRef load(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef v =
		LLVMBuildLoad2(o->x->b, o->x->types[in->type], body_use(o, in->arg[0]), "");

	set_access(v, in);
	LLVMSetOrdering(v, order_of(ir_order(in->flags)));
	return v;
}

static void store(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef v = LLVMBuildStore(o->x->b, body_use(o, in->arg[1]), body_use(o, in->arg[0]));

	set_access(v, in);
	LLVMSetOrdering(v, order_of(ir_order(in->flags)));
}

static LLVMValueRef read_modify_write(struct body *o, const struct ir_insn *in)
{
	static const LLVMAtomicRMWBinOp ops[] = {
		[IR_RMW_XCHG - IR_RMW_XCHG] = LLVMAtomicRMWBinOpXchg,
		[IR_RMW_ADD - IR_RMW_XCHG] = LLVMAtomicRMWBinOpAdd,
		[IR_RMW_SUB - IR_RMW_XCHG] = LLVMAtomicRMWBinOpSub,
		[IR_RMW_AND - IR_RMW_XCHG] = LLVMAtomicRMWBinOpAnd,
		[IR_RMW_NAND - IR_RMW_XCHG] = LLVMAtomicRMWBinOpNand,
		[IR_RMW_OR - IR_RMW_XCHG] = LLVMAtomicRMWBinOpOr,
		[IR_RMW_XOR - IR_RMW_XCHG] = LLVMAtomicRMWBinOpXor,
		[IR_RMW_MAX - IR_RMW_XCHG] = LLVMAtomicRMWBinOpMax,
		[IR_RMW_MIN - IR_RMW_XCHG] = LLVMAtomicRMWBinOpMin,
		[IR_RMW_UMAX - IR_RMW_XCHG] = LLVMAtomicRMWBinOpUMax,
		[IR_RMW_UMIN - IR_RMW_XCHG] = LLVMAtomicRMWBinOpUMin,
		[IR_RMW_FADD - IR_RMW_XCHG] = LLVMAtomicRMWBinOpFAdd,
		[IR_RMW_FSUB - IR_RMW_XCHG] = LLVMAtomicRMWBinOpFSub,
	};
	LLVMValueRef v =
		LLVMBuildAtomicRMW(o->x->b, ops[in->op - IR_RMW_XCHG], body_use(o, in->arg[0]),
			body_use(o, in->arg[1]), order_of(ir_order(in->flags)), false);

	set_access(v, in);
	return v;
}

static void compare_and_swap(struct body *o, const struct ir_insn *in)
{
	enum ir_order fail = in->flags >> IR_F_FAIL_SHIFT & IR_F_ORDER;
	LLVMValueRef v = LLVMBuildAtomicCmpXchg(o->x->b, body_use(o, in->arg[0]),
		body_use(o, in->arg[1]), body_use(o, in->arg[2]), order_of(ir_order(in->flags)),
		order_of(fail ? fail : IR_O_RELAXED), false);

	set_access(v, in);
	LLVMSetWeak(v, (in->flags & IR_F_WEAK) != 0);
	body_def(o, in->dst, LLVMBuildExtractValue(o->x->b, v, 0, ""));
	body_def(o, in->dst + 1, LLVMBuildExtractValue(o->x->b, v, 1, ""));
}

static void bulk(struct body *o, const struct ir_insn *in)
{
	LLVMTypeRef ptr = o->x->types[IR_PTR], types[] = {ptr, ptr, o->x->types[64]};
	bool set = in->op == IR_MEMSET;
	LLVMValueRef a[4];

	for (unsigned i = 0; i < 3; i++)
		a[i] = body_use(o, in->arg[i]);
	a[3] = LLVMConstInt(o->x->types[1], (in->flags & IR_F_VOLATILE) != 0, false);
	if (set)
		types[1] = types[2];
	call_intrinsic(o, intrinsic_of(in->op), types, set ? 2 : 3, a, 4);
}

/* operands: size and address; since LLVM 22 only the address */
static void lifetime(struct body *o, const struct ir_insn *in)
{
	const char *name = intrinsic_of(in->op);
	LLVMTypeRef ptr = o->x->types[IR_PTR];
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	unsigned n = LLVMCountParamTypes(LLVMIntrinsicGetType(o->x->ctx, id, &ptr, 1));
	LLVMValueRef a[2];

	if (!o->lifetimes)
		return;
	a[0] = LLVMConstInt(o->x->types[64], (uint64_t)in->imm, true);
	a[n - 1] = body_use(o, in->arg[0]);
	call_intrinsic(o, name, &ptr, 1, a, n);
}

/* ---- the rest ---------------------------------------------------------------------------- */

static LLVMValueRef no_operand(struct body *o, const struct ir_insn *in)
{
	LLVMTypeRef ptr = o->x->types[IR_PTR];
	LLVMValueRef zero = LLVMConstInt(o->x->types[32], 0, false);

	switch (in->op) {
	case IR_FRAMEADDR: return call_intrinsic(o, "llvm.frameaddress", &ptr, 1, &zero, 1);
	case IR_CYCLES: return call_intrinsic(o, "llvm.readcyclecounter", NULL, 0, NULL, 0);
	default: return call_intrinsic(o, intrinsic_of(in->op), &ptr, 1, NULL, 0);
	}
}

static void on_va_list(struct body *o, const struct ir_insn *in)
{
	LLVMTypeRef ptr = o->x->types[IR_PTR];
	unsigned n = in->op == IR_VA_COPY ? 2 : 1;
	LLVMValueRef a[2];

	for (unsigned i = 0; i < n; i++)
		a[i] = body_use(o, in->arg[i]);
	call_intrinsic(o, intrinsic_of(in->op), &ptr, 1, a, n);
}

static void fence(struct body *o, const struct ir_insn *in)
{
	enum ir_order order = ir_order(in->flags);

	/* a fence of the compiler may have an order that LLVM has no fence of */
	if (order < IR_O_ACQUIRE)
		order = IR_O_SEQCST;
	LLVMBuildFence(o->x->b, order_of(order), (in->flags & IR_F_COMPILER) != 0, "");
}

void export_insn(struct body *o, const struct ir_insn *in)
{
	LLVMValueRef v = NULL, a;
	LLVMTypeRef ptr = o->x->types[IR_PTR];

	switch (ir_ops[in->op].shape) {
	case IR_S_BIN: v = arithmetic(o, in, 2); break;
	case IR_S_UN:
	case IR_S_CONV: v = arithmetic(o, in, 1); break;
	case IR_S_TERN: v = arithmetic(o, in, 3); break;
	case IR_S_CMP: v = compare(o, in); break;
	case IR_S_SELECT:
		v = LLVMBuildSelect(o->x->b, body_use(o, in->arg[0]), body_use(o, in->arg[1]),
			body_use(o, in->arg[2]), "");
		break;
	case IR_S_OVF: overflow(o, in); break;
	case IR_S_ALLOCA: v = allocate(o, in); break;
	case IR_S_PADD: v = pointer_add(o, in); break;
	case IR_S_LOAD: v = load(o, in); break;
	case IR_S_STORE: store(o, in); break;
	case IR_S_RMW: v = read_modify_write(o, in); break;
	case IR_S_CAS: compare_and_swap(o, in); break;
	case IR_S_FENCE: fence(o, in); break;
	case IR_S_BULK: bulk(o, in); break;
	case IR_S_VA: on_va_list(o, in); break;
	case IR_S_PTR0: v = no_operand(o, in); break;
	case IR_S_PTR1:
		a = body_use(o, in->arg[0]);
		call_intrinsic(o, intrinsic_of(in->op), &ptr, 1, &a, 1);
		break;
	case IR_S_LIFE: lifetime(o, in); break;
	case IR_S_CALL: export_call(o, in); break;
	case IR_S_ASM: export_asm(o, in); break;
	case IR_S_STOP: fail_insn(o, IR_VOID, "%s", ir_str(o->x->p, (uint32_t)in->imm)); break;
	default:
		call_intrinsic(o, in->op == IR_PAUSE ? "llvm.x86.sse2.pause" : "llvm.trap", NULL, 0,
			NULL, 0);
	}
	if (v)
		body_def(o, in->dst, v);
}
