#include "instrument/instrument_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Makes the arithmetic of the module equal to that of the IR, so that a re-execution gives the same
 * results: no fast-math, multiply-add as the importer has it, and intrinsics that the importer
 * replaced by a constant (sizes of objects, return addresses) become that constant.
 */

static LLVMValueRef fused_muladd(struct instrumenter *it, LLVMValueRef *args)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.fma", 8);
	LLVMTypeRef t = LLVMTypeOf(args[0]);

	return it_call(it, LLVMGetIntrinsicDeclaration(it->m, id, &t, 1), args, 3);
}

void exact_muladd(struct ifn *fn, LLVMValueRef call, bool fused)
{
	struct instrumenter *it = fn->it;
	LLVMValueRef args[] = {
		LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), LLVMGetOperand(call, 2)};
	LLVMValueRef r;

	ifn_before(fn, call);
	if (fused)
		r = fused_muladd(it, args);
	else
		r = LLVMBuildFAdd(it->b, LLVMBuildFMul(it->b, args[0], args[1], ""), args[2], "");
	ifn_replace(fn, call, r);
}

/* Replaces an intrinsic that is a constant in the IR. */
static void use_constant(struct instrumenter *it, const struct ir_func *f, const struct isym *s,
	const struct ivalue *x)
{
	LLVMTypeRef t = LLVMTypeOf(x->v);
	const struct ir_const *c;
	LLVMValueRef k;

	if (x->n != 1 || !ir_is_const(s->lanes.at[x->lanes]) || !LLVMIsACallInst(x->v))
		return;
	k = LLVMGetCalledValue(x->v);
	c = ir_const(f, s->lanes.at[x->lanes]);
	if (!LLVMIsAFunction(k) || !LLVMGetIntrinsicID(k) || c->kind != IR_C_BITS || c->hi)
		return;
	if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind)
		k = LLVMConstInt(t, c->lo, false);
	else if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
		k = LLVMConstIntToPtr(it_k64(it, c->lo), t);
	else
		return;
	LLVMReplaceAllUsesWith(x->v, k);
}

static void drop_flags(LLVMValueRef f)
{
	LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f);
	LLVMValueRef v;

	for (; bb; bb = LLVMGetNextBasicBlock(bb))
		for (v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v))
			if (LLVMCanValueUseFastMathFlags(v) && LLVMGetFastMathFlags(v))
				LLVMSetFastMathFlags(v, LLVMFastMathNone);
}

static void drop_attributes(LLVMValueRef f)
{
	static const char *const names[] = {"unsafe-fp-math", "no-infs-fp-math", "no-nans-fp-math",
		"no-signed-zeros-fp-math", "approx-func-fp-math"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
			names[i], (unsigned)strlen(names[i]));
}

void exact_function(struct instrumenter *it, uint32_t id)
{
	const struct isym *s = &it->funcs.at[id];

	vec_each (&s->values, i)
		use_constant(it, &it->p->funcs.at[id], s, &s->values.at[i]);
	drop_flags(s->v);
	drop_attributes(s->v);
}
