#include "import/import_internal.h"

/* Calls of functions, intrinsics and inline assembler. */

typedef VEC(uint32_t) args_t;

static bool call_attr(LLVMValueRef call, unsigned kind)
{
	return LLVMGetCallSiteEnumAttribute(
		call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static bool func_attr(LLVMValueRef callee, unsigned kind)
{
	return LLVMIsAFunction(callee) &&
	       LLVMGetEnumAttributeAtIndex(
		       callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static uint16_t call_flags(struct fn *fn, LLVMValueRef call, LLVMValueRef callee)
{
	const struct attrs *a = &fn->im->attrs;
	uint16_t flags = 0;

	if (call_attr(call, a->noreturn) || func_attr(callee, a->noreturn))
		flags |= IR_F_NORETURN;
	if (call_attr(call, a->returns_twice) || func_attr(callee, a->returns_twice))
		flags |= IR_F_TWICE;
	if (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
		flags |= IR_F_TAIL;
	return flags;
}

/* A variadic vector is passed in one register: the callee reads it as the bytes of a struct. */
static void push_variadic(struct fn *fn, args_t *args, struct lanes l)
{
	struct leaf leaf = {IR_VOID, 0};
	struct layout whole = {.ok = true, .n = 1, .leaf = &leaf};
	uint32_t bits = l.n * ir_type_bits(ref_type(fn, lane(fn, l, 0)));

	leaf.type = bits == 64 ? IR_F64 : IR_F128;
	if (bits != 64 && bits != 128) {
		unsupported(fn, "variadic vector of %u bits", bits);
		return;
	}
	l = vec_bitcast(fn, l, &whole);
	if (fn->reason)
		return;
	vec_push(args, lane(fn, l, 0));
	vec_push(args, 0);
}

static void push_arg(struct fn *fn, args_t *args, LLVMValueRef call, unsigned i, bool variadic)
{
	LLVMValueRef v = LLVMGetOperand(call, i);
	LLVMTypeRef t = LLVMTypeOf(v);
	struct lanes l = fn_use(fn, v);
	uint32_t byval = 0;

	if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, i + 1, fn->im->attrs.byval);

		if (a)
			byval = (uint32_t)type_size(fn->im, LLVMGetTypeAttributeValue(a));
	}
	if (variadic && type_is_vector(t) && l.n) {
		push_variadic(fn, args, l);
		return;
	}
	for (uint32_t k = 0; k < l.n; k++) {
		vec_push(args, lane(fn, l, k));
		vec_push(args, byval);
	}
}

static struct lanes plain_call(struct fn *fn, LLVMValueRef v, LLVMValueRef callee)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(v);
	unsigned n = LLVMGetNumArgOperands(v), fixed = LLVMCountParamTypes(type);
	bool vararg = LLVMIsFunctionVarArg(type);
	ir_ref target = fn_use1(fn, callee);
	struct lanes out = lanes_none();
	args_t args = {0};

	for (unsigned i = 0; i < n; i++)
		push_arg(fn, &args, v, i, vararg && i >= fixed);
	if (!fn->reason) {
		out = emit_call(fn, target, args.at, args.n / 2, layout_of_value(fn->im, v),
			call_flags(fn, v, callee));
		abi_call(fn, v);
		if (LLVMIsAInvokeInst(v))
			abi_inexact(fn, "unwinding to a handler");
	}
	vec_release(&args);
	return out;
}

struct lanes insn_call(struct fn *fn, LLVMValueRef v)
{
	LLVMValueRef callee = LLVMGetCalledValue(v);

	if (LLVMIsAInlineAsm(callee))
		return asm_call(fn, v, callee);
	if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee))
		return intrinsic_call(fn, v, callee);
	return plain_call(fn, v, callee);
}
