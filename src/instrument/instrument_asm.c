#include "instrument/instrument_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Inline assembler that the importer translated (src/import/asm_x86.c). The values that assembler
 * reads from memory are not visible outside of it. So if something of it is logged or hashed, the
 * assembler is replaced by the instructions that the importer made from it.
 */

static bool is_logged(const struct ifn *fn, LLVMValueRef v, uint32_t i)
{
	for (; i < fn->f->insns.n && fn->sym->origin.at[i] == v; i++)
		if (fn->pf->insn[i].what != PLAN_NOTHING || fn->pf->insn[i].flags & PLAN_F_EVENT)
			return true;
	return false;
}

static LLVMTypeRef type_of(struct instrumenter *it, ir_type t)
{
	return t == IR_PTR ? it->ptr : it_int(it, ir_type_bits(t));
}

static LLVMValueRef build_constant(struct ifn *fn, const struct ir_const *c)
{
	struct instrumenter *it = fn->it;
	LLVMTypeRef t = type_of(it, c->type);

	switch (c->kind) {
	case IR_C_BITS:
		if (c->type == IR_PTR)
			return LLVMConstIntToPtr(it_k64(it, c->lo), t);
		return LLVMConstInt(t, c->lo, false);
	case IR_C_GLOBAL: return it_offset(it, it->globals.at[c->id], c->lo);
	case IR_C_FUNC: return it->funcs.at[c->id].entry;
	default: return LLVMGetUndef(t);
	}
}

/* The value of an operand, defined by an instruction of this assembler or before it. */
static LLVMValueRef operand_value(struct ifn *fn, ir_ref r)
{
	LLVMValueRef v;

	if (!ir_is_reg(r))
		return build_constant(fn, ir_const(fn->f, r));
	v = (LLVMValueRef)(uintptr_t)map_get_or(&fn->made, r, 0);
	if (!v)
		v = ifn_reg(fn, r);
	BUG_ON(!v);
	return v;
}

static LLVMValueRef call_intrinsic(struct ifn *fn, const char *name, LLVMValueRef *args, unsigned n)
{
	struct instrumenter *it = fn->it;
	LLVMTypeRef t = n ? LLVMTypeOf(args[0]) : NULL;
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

	return it_call(it, LLVMGetIntrinsicDeclaration(it->m, id, &t, n ? 1 : 0), args, n);
}

static LLVMValueRef build_unary(struct ifn *fn, uint8_t op, LLVMValueRef a)
{
	LLVMValueRef args[] = {a, LLVMConstInt(fn->it->i1, 0, false)};

	switch (op) {
	case IR_BSWAP: return call_intrinsic(fn, "llvm.bswap", args, 1);
	case IR_CTPOP: return call_intrinsic(fn, "llvm.ctpop", args, 1);
	case IR_CTLZ: return call_intrinsic(fn, "llvm.ctlz", args, 2);
	case IR_CTTZ: return call_intrinsic(fn, "llvm.cttz", args, 2);
	default: return NULL;
	}
}

static LLVMValueRef build_binary(LLVMBuilderRef b, uint8_t op, LLVMValueRef x, LLVMValueRef y)
{
	switch (op) {
	case IR_ADD: return LLVMBuildAdd(b, x, y, "");
	case IR_SUB: return LLVMBuildSub(b, x, y, "");
	case IR_MUL: return LLVMBuildMul(b, x, y, "");
	case IR_AND: return LLVMBuildAnd(b, x, y, "");
	case IR_OR: return LLVMBuildOr(b, x, y, "");
	case IR_XOR: return LLVMBuildXor(b, x, y, "");
	case IR_SHL: return LLVMBuildShl(b, x, y, "");
	case IR_LSHR: return LLVMBuildLShr(b, x, y, "");
	case IR_ASHR: return LLVMBuildAShr(b, x, y, "");
	case IR_EQ: return LLVMBuildICmp(b, LLVMIntEQ, x, y, "");
	case IR_NE: return LLVMBuildICmp(b, LLVMIntNE, x, y, "");
	case IR_ULT: return LLVMBuildICmp(b, LLVMIntULT, x, y, "");
	case IR_ULE: return LLVMBuildICmp(b, LLVMIntULE, x, y, "");
	case IR_SLT: return LLVMBuildICmp(b, LLVMIntSLT, x, y, "");
	case IR_SLE: return LLVMBuildICmp(b, LLVMIntSLE, x, y, "");
	default: return NULL;
	}
}

static LLVMValueRef build_conversion(struct ifn *fn, const struct ir_insn *in)
{
	LLVMBuilderRef b = fn->it->b;
	LLVMTypeRef t = type_of(fn->it, in->type);
	LLVMValueRef a = operand_value(fn, in->arg[0]);

	switch (in->op) {
	case IR_ZEXT: return LLVMBuildZExt(b, a, t, "");
	case IR_SEXT: return LLVMBuildSExt(b, a, t, "");
	case IR_TRUNC: return LLVMBuildTrunc(b, a, t, "");
	case IR_PTRTOINT: return LLVMBuildPtrToInt(b, a, t, "");
	case IR_INTTOPTR: return LLVMBuildIntToPtr(b, a, t, "");
	default: return NULL;
	}
}

static LLVMValueRef build_rmw(struct ifn *fn, const struct ir_insn *in)
{
	LLVMAtomicRMWBinOp op;

	switch (in->op) {
	case IR_RMW_XCHG: op = LLVMAtomicRMWBinOpXchg; break;
	case IR_RMW_ADD: op = LLVMAtomicRMWBinOpAdd; break;
	case IR_RMW_SUB: op = LLVMAtomicRMWBinOpSub; break;
	case IR_RMW_AND: op = LLVMAtomicRMWBinOpAnd; break;
	case IR_RMW_OR: op = LLVMAtomicRMWBinOpOr; break;
	case IR_RMW_XOR: op = LLVMAtomicRMWBinOpXor; break;
	default: return NULL;
	}
	return LLVMBuildAtomicRMW(fn->it->b, op, operand_value(fn, in->arg[0]),
		operand_value(fn, in->arg[1]), LLVMAtomicOrderingSequentiallyConsistent, false);
}

static LLVMValueRef build_cas(struct ifn *fn, const struct ir_insn *in)
{
	LLVMBuilderRef b = fn->it->b;
	LLVMValueRef r = LLVMBuildAtomicCmpXchg(b, operand_value(fn, in->arg[0]),
		operand_value(fn, in->arg[1]), operand_value(fn, in->arg[2]),
		LLVMAtomicOrderingSequentiallyConsistent, LLVMAtomicOrderingSequentiallyConsistent,
		false);

	*map_put(&fn->made, in->dst + 1) = map_ptr(LLVMBuildExtractValue(b, r, 1, ""));
	return LLVMBuildExtractValue(b, r, 0, "");
}

static LLVMValueRef build_load(struct ifn *fn, const struct ir_insn *in)
{
	LLVMValueRef v = LLVMBuildLoad2(
		fn->it->b, type_of(fn->it, in->type), operand_value(fn, in->arg[0]), "");

	LLVMSetAlignment(v, 1);
	LLVMSetVolatile(v, true);
	return v;
}

static LLVMValueRef build_store(struct ifn *fn, const struct ir_insn *in)
{
	LLVMValueRef v = LLVMBuildStore(
		fn->it->b, operand_value(fn, in->arg[1]), operand_value(fn, in->arg[0]));

	LLVMSetAlignment(v, 1);
	LLVMSetVolatile(v, true);
	return v;
}

static LLVMValueRef build_fence(struct ifn *fn, const struct ir_insn *in)
{
	return LLVMBuildFence(
		fn->it->b, LLVMAtomicOrderingSequentiallyConsistent, in->flags & IR_F_COMPILER, "");
}

static LLVMValueRef build_other(struct ifn *fn, const struct ir_insn *in)
{
	switch (in->op) {
	case IR_CYCLES: return call_intrinsic(fn, "llvm.readcyclecounter", NULL, 0);
	case IR_PAUSE: return call_intrinsic(fn, "llvm.x86.sse2.pause", NULL, 0);
	case IR_TRAP: return call_intrinsic(fn, "llvm.trap", NULL, 0);
	default: return NULL;
	}
}

static LLVMValueRef build_insn(struct ifn *fn, const struct ir_insn *in)
{
	LLVMValueRef args[3];

	switch (ir_ops[in->op].shape) {
	case IR_S_BIN:
	case IR_S_CMP:
		return build_binary(fn->it->b, in->op, operand_value(fn, in->arg[0]),
			operand_value(fn, in->arg[1]));
	case IR_S_UN: return build_unary(fn, in->op, operand_value(fn, in->arg[0]));
	case IR_S_CONV: return build_conversion(fn, in);
	case IR_S_TERN:
		for (int i = 0; i < 3; i++)
			args[i] = operand_value(fn, in->arg[i]);
		return call_intrinsic(fn, in->op == IR_FSHL ? "llvm.fshl" : "llvm.fshr", args, 3);
	case IR_S_PADD:
		return in->arg[1] == IR_NONE
			       ? it_offset(fn->it, operand_value(fn, in->arg[0]), (uint64_t)in->imm)
			       : NULL;
	case IR_S_LOAD: return build_load(fn, in);
	case IR_S_STORE: return build_store(fn, in);
	case IR_S_RMW: return build_rmw(fn, in);
	case IR_S_CAS: return build_cas(fn, in);
	case IR_S_FENCE: return build_fence(fn, in);
	default: return build_other(fn, in);
	}
}

static void log_made(struct ifn *fn, const struct ir_insn *in)
{
	uint32_t n = ir_insn_ndst(in);

	for (uint32_t k = 0; k < n; k++)
		ifn_log(fn, operand_value(fn, in->dst + k));
}

/* ---- results ----------------------------------------------------------------------------- */

/* The result of type t, built from the next lanes. */
static LLVMValueRef build_result(struct ifn *fn, LLVMTypeRef t, const ir_ref *lanes, uint32_t *k)
{
	LLVMBuilderRef b = fn->it->b;
	LLVMValueRef v = LLVMGetUndef(t);
	unsigned n;

	switch (LLVMGetTypeKind(t)) {
	case LLVMStructTypeKind:
		n = LLVMCountStructElementTypes(t);
		for (unsigned i = 0; i < n; i++)
			v = LLVMBuildInsertValue(b, v,
				build_result(fn, LLVMStructGetTypeAtIndex(t, i), lanes, k), i, "");
		return v;
	case LLVMVectorTypeKind:
		n = LLVMGetVectorSize(t);
		for (unsigned i = 0; i < n; i++)
			v = LLVMBuildInsertElement(
				b, v, operand_value(fn, lanes[(*k)++]), it_k32(fn->it, i), "");
		return v;
	default: return operand_value(fn, lanes[(*k)++]);
	}
}

static void replace_results(struct ifn *fn, LLVMValueRef v)
{
	const struct isym *s = fn->sym;
	LLVMValueRef r = v;
	uint32_t k = 0;

	vec_each (&s->values, i)
		if (s->values.at[i].v == v)
			r = build_result(
				fn, LLVMTypeOf(v), s->lanes.at + s->values.at[i].lanes, &k);
	if (r != v)
		ifn_replace(fn, v, r);
	else
		vec_push(&fn->dead, v);
}

void asm_insn(struct ifn *fn, uint32_t i)
{
	const struct ir_insn *in = &fn->f->insns.at[i];
	const struct plan_insn *pi = &fn->pf->insn[i];
	LLVMValueRef v = fn->sym->origin.at[i], made;
	bool first = !i || fn->sym->origin.at[i - 1] != v;
	bool last = i + 1 == fn->f->insns.n || fn->sym->origin.at[i + 1] != v;

	if (first) {
		map_clear(&fn->made);
		fn->lower_asm = is_logged(fn, v, i);
	}
	if (!fn->lower_asm)
		return;
	ifn_before(fn, v);
	if (pi->flags & PLAN_F_EVENT) {
		ifn_hash_address(fn, operand_value(fn, in->arg[0]), 0, pi->order);
		point_before(fn, i, operand_value(fn, in->arg[0]), 0);
	}
	made = build_insn(fn, in);
	if (!made) {
		it_fail(fn->it, "'%s': inline assembler with '%s' cannot be instrumented",
			ir_func_name(fn->it->p, fn->id), ir_ops[in->op].name);
		return;
	}
	if (in->dst != IR_NONE)
		*map_put(&fn->made, in->dst) = map_ptr(made);
	if (pi->what == PLAN_VALUES)
		log_made(fn, in);
	if (last)
		replace_results(fn, v);
}
