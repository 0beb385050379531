#include "export/export_internal.h"

#include "base/strbuf.h"
#include "ir/abi.h"

#include <stdlib.h>
#include <string.h>

/* Calls, inline assembler and intrinsics that the IR has no operation for. */

typedef VEC(LLVMValueRef) args_t;

static void copy_call_attributes(
	struct exporter *x, LLVMValueRef call, unsigned to, LLVMValueRef decl, unsigned from)
{
	unsigned n = LLVMGetAttributeCountAtIndex(decl, from);
	LLVMAttributeRef *all = arena_array(&x->arena, LLVMAttributeRef, n + 1);

	LLVMGetAttributesAtIndex(decl, from, all);
	for (unsigned i = 0; i < n; i++)
		LLVMAddCallSiteAttribute(call, to, all[i]);
}

static void add_word_attribute(struct body *o, LLVMValueRef call, const char *word)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(word, strlen(word));

	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(o->x->ctx, kind, 0));
}

/* A variable argument that is an object has the plain alignment unless the signature has more. */
static void add_byval(struct body *o, LLVMValueRef call, unsigned index, uint32_t size)
{
	static const char byval[] = "byval", align[] = "align";
	unsigned kind = LLVMGetEnumAttributeKindForName(byval, sizeof byval - 1);

	LLVMAddCallSiteAttribute(call, index,
		LLVMCreateTypeAttribute(o->x->ctx, kind, LLVMArrayType2(o->x->types[8], size)));
	kind = LLVMGetEnumAttributeKindForName(align, sizeof align - 1);
	LLVMAddCallSiteAttribute(call, index, LLVMCreateEnumAttribute(o->x->ctx, kind, 8));
}

/* The arguments of the type's parameters; false if the operands do not fit. */
static bool gather_fixed(struct body *o, LLVMTypeRef type, struct operands *from, args_t *args)
{
	unsigned n = LLVMCountParamTypes(type);
	LLVMTypeRef *types = arena_array(&o->x->arena, LLVMTypeRef, n + 1);

	LLVMGetParamTypes(type, types);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef v = proto_gather(o, types[i], from);

		if (!v)
			return false;
		vec_push(args, v);
	}
	return !from->n || LLVMIsFunctionVarArg(type);
}

static void set_variable(struct body *o, LLVMValueRef call, const struct proto *pr,
	const struct operands *rest, unsigned fixed)
{
	for (unsigned i = 0; i < rest->n; i++) {
		if (pr->variable && i < LLVMCountParams(pr->variable))
			copy_call_attributes(o->x, call, fixed + i + 1, pr->variable, i + 1);
		else if (rest->at[i * rest->step + 1])
			add_byval(o, call, fixed + i + 1, rest->at[i * rest->step + 1]);
	}
}

static void set_results(struct body *o, const struct ir_insn *in, LLVMValueRef v, LLVMTypeRef type)
{
	uint32_t reg = in->dst, end = in->dst == IR_NONE ? 0 : in->dst + ir_insn_ndst(in);
	LLVMTypeRef t = LLVMGetReturnType(type);
	bool ok = true;

	if (in->dst == IR_NONE)
		reg = 0;
	if (LLVMGetTypeKind(t) != LLVMVoidTypeKind)
		ok = proto_scatter(o, v, t, &reg, end);
	if (!ok || reg != end)
		fail_insn(o, IR_VOID, "the results of the call do not fit its signature");
}

static bool is_scalar(LLVMTypeRef t)
{
	LLVMTypeKind k = LLVMGetTypeKind(t);

	return k != LLVMStructTypeKind && k != LLVMArrayTypeKind && k != LLVMVectorTypeKind;
}

static void set_call_flags(
	struct body *o, const struct ir_insn *in, LLVMValueRef v, LLVMTypeRef type)
{
	if (in->flags & IR_F_NORETURN)
		add_word_attribute(o, v, "noreturn");
	if (in->flags & IR_F_TWICE)
		add_word_attribute(o, v, "returns_twice");
	if (!(in->flags & IR_F_TAIL))
		return;
	if (is_scalar(LLVMGetReturnType(type)))
		LLVMSetTailCallKind(v, LLVMTailCallKindMustTail);
	else
		fail_insn(o, IR_VOID, "a tail call that returns a struct or vector");
}

void export_call(struct body *o, const struct ir_insn *in)
{
	struct operands from = {o->f->extra.at + in->arg[1], in->arg[2], 2}, rest;
	const struct proto *pr;
	struct strbuf b = {0};
	args_t args = {0};
	unsigned fixed;
	char *why = NULL;
	LLVMValueRef v;

	ir_abi_call(&b, o->x->p, o->f, o->insn);
	pr = proto_get(o->x, b.s, "", &why);
	if (!pr) {
		fail_insn(o, IR_VOID, "%s", why);
	} else if (!gather_fixed(o, pr->type, &from, &args)) {
		fail_insn(
			o, IR_VOID, "the arguments of the call do not fit its signature '%s'", b.s);
	} else {
		rest = from;
		fixed = args.n;
		for (uint32_t i = 0; i < rest.n; i++)
			vec_push(&args, body_use(o, rest.at[2 * i]));
		v = LLVMBuildCall2(o->x->b, pr->type, body_use(o, in->arg[0]), args.at, args.n, "");
		for (unsigned i = 0; i <= fixed; i++)
			copy_call_attributes(o->x, v, i, pr->decl, i);
		LLVMSetInstructionCallConv(v, LLVMGetFunctionCallConv(pr->decl));
		set_variable(o, v, pr, &rest, fixed);
		set_call_flags(o, in, v, pr->type);
		set_results(o, in, v, pr->type);
	}
	free(why);
	strbuf_release(&b);
	vec_release(&args);
}

/* ---- assembler --------------------------------------------------------------------------- */

static bool skip_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return false;
	*s += n;
	return true;
}

static LLVMValueRef asm_value(
	struct body *o, const struct ir_insn *in, const struct ir_note *n, LLVMTypeRef type)
{
	const char *text = ir_str(o->x->p, in->arg[0]), *s = ir_str(o->x->p, n->constraints);
	bool intel = skip_word(&s, "intel "), stack;

	if (!intel)
		skip_word(&s, "att ");
	stack = skip_word(&s, "alignstack ");
	return LLVMGetInlineAsm(type, text, strlen(text), s, strlen(s),
		(in->flags & IR_F_SIDE) != 0, stack,
		intel ? LLVMInlineAsmDialectIntel : LLVMInlineAsmDialectATT, false);
}

/* The intrinsic of that name; NULL if LLVM has none. */
static LLVMValueRef intrinsic_value(struct body *o, const char *name, LLVMTypeRef type)
{
	LLVMValueRef v = LLVMGetNamedFunction(o->x->mod, name);

	if (!LLVMLookupIntrinsicID(name, strlen(name)))
		return NULL;
	return v ? v : LLVMAddFunction(o->x->mod, name, type);
}

void export_asm(struct body *o, const struct ir_insn *in)
{
	struct operands from = {o->f->extra.at + in->arg[1], in->arg[2], 1};
	const struct ir_note *n = ir_note(o->f, o->insn);
	const char *text = ir_str(o->x->p, in->arg[0]);
	const struct proto *pr = NULL;
	args_t args = {0};
	char *why = NULL;
	LLVMValueRef callee, v;

	if (!n || !n->abi) {
		fail_insn(o, IR_VOID, "assembler without a signature");
		return;
	}
	pr = proto_get(o->x, ir_str(o->x->p, n->abi), "", &why);
	if (!pr) {
		fail_insn(o, IR_VOID, "%s", why);
	} else if (!gather_fixed(o, pr->type, &from, &args)) {
		fail_insn(o, IR_VOID, "the operands of the assembler do not fit its signature");
	} else {
		callee = n->constraints ? asm_value(o, in, n, pr->type)
					: intrinsic_value(o, text, pr->type);
		if (callee) {
			v = LLVMBuildCall2(o->x->b, pr->type, callee, args.at, args.n, "");
			for (unsigned i = 0; i <= args.n; i++)
				copy_call_attributes(o->x, v, i, pr->decl, i);
			set_results(o, in, v, pr->type);
		} else {
			fail_insn(o, IR_VOID, "unknown intrinsic '%s'", text);
		}
	}
	free(why);
	vec_release(&args);
}
