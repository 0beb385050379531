#include "import/import_internal.h"

#include "base/strbuf.h"
#include "ir/abi.h"

#include <stdio.h>
#include <string.h>

/*
 * Signatures, attributes and sections: what the export needs to make the native program again. An
 * attribute is kept if code generation depends on it; one that only helps the optimizer is not.
 */

static unsigned attr_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* ---- types ------------------------------------------------------------------------------- */

/* LLVM's text of a type, with the body of a struct instead of its name. */
static void add_type(struct strbuf *b, LLVMTypeRef t)
{
	unsigned n;
	char *s;

	switch (LLVMGetTypeKind(t)) {
	case LLVMStructTypeKind:
		n = LLVMCountStructElementTypes(t);
		strbuf_adds(b, LLVMIsPackedStruct(t) ? "<{ " : "{ ");
		for (unsigned i = 0; i < n; i++) {
			strbuf_adds(b, i ? ", " : "");
			add_type(b, LLVMStructGetTypeAtIndex(t, i));
		}
		strbuf_adds(b, LLVMIsPackedStruct(t) ? " }>" : " }");
		return;
	case LLVMArrayTypeKind:
		strbuf_addf(b, "[%lu x ", LLVMGetArrayLength2(t));
		add_type(b, LLVMGetElementType(t));
		strbuf_addc(b, ']');
		return;
	default:
		s = LLVMPrintTypeToString(t);
		strbuf_adds(b, s);
		LLVMDisposeMessage(s);
	}
}

/* ---- attributes of parameters and results ------------------------------------------------ */

static LLVMAttributeRef attr_at(LLVMValueRef v, unsigned index, unsigned kind)
{
	return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v)
		       ? LLVMGetCallSiteEnumAttribute(v, index, kind)
		       : LLVMGetEnumAttributeAtIndex(v, index, kind);
}

/* byval and sret: the size of the object is all that counts of its type */
static void add_object_attr(
	struct strbuf *b, struct importer *im, LLVMValueRef v, unsigned index, const char *name)
{
	LLVMAttributeRef a = attr_at(v, index, attr_kind(name));

	if (a)
		strbuf_addf(
			b, " %s([%lu x i8])", name, type_size(im, LLVMGetTypeAttributeValue(a)));
}

static void add_param_attrs(struct strbuf *b, struct importer *im, LLVMValueRef v, unsigned index)
{
	static const char *const words[] = {"signext", "zeroext", "inreg", "nest"};
	LLVMAttributeRef a;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (attr_at(v, index, attr_kind(words[i])))
			strbuf_addf(b, " %s", words[i]);
	add_object_attr(b, im, v, index, "sret");
	if (attr_at(v, index, im->attrs.byval)) {
		add_object_attr(b, im, v, index, "byval");
		a = attr_at(v, index, attr_kind("align"));
		strbuf_addf(b, " align %lu", a ? LLVMGetEnumAttributeValue(a) : 8);
	}
	a = attr_at(v, index, attr_kind("elementtype"));
	if (a) {
		strbuf_adds(b, " elementtype(");
		add_type(b, LLVMGetTypeAttributeValue(a));
		strbuf_addc(b, ')');
	}
}

static void add_result_attrs(struct strbuf *b, LLVMValueRef v)
{
	static const char *const words[] = {"signext", "zeroext", "inreg"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (attr_at(v, LLVMAttributeReturnIndex, attr_kind(words[i])))
			strbuf_addf(b, "%s ", words[i]);
}

/* ---- signatures -------------------------------------------------------------------------- */

static void add_signature(struct strbuf *b, struct importer *im, LLVMValueRef v, LLVMTypeRef type,
	unsigned cc, bool attrs)
{
	unsigned n = LLVMCountParamTypes(type);
	LLVMTypeRef *types = arena_array(&im->arena, LLVMTypeRef, n + 1);

	LLVMGetParamTypes(type, types);
	if (cc)
		strbuf_addf(b, "cc %u ", cc);
	if (attrs)
		add_result_attrs(b, v);
	add_type(b, LLVMGetReturnType(type));
	strbuf_adds(b, " @_(");
	for (unsigned i = 0; i < n; i++) {
		strbuf_adds(b, i ? ", " : "");
		add_type(b, types[i]);
		if (attrs)
			add_param_attrs(b, im, v, i + 1);
	}
	if (LLVMIsFunctionVarArg(type))
		strbuf_adds(b, n ? ", ..." : "...");
	strbuf_addc(b, ')');
}

static struct ir_note *note_last(struct fn *fn)
{
	uint32_t insn = fn->f.insns.n - 1;

	if (!fn->f.notes.n || vec_last(&fn->f.notes).insn != insn)
		vec_push(&fn->f.notes, (struct ir_note){.insn = insn});
	return &vec_last(&fn->f.notes);
}

/* The types are the callee's, as in almost every call: then the attributes are, too. */
static bool agrees_with_callee(LLVMValueRef call, LLVMTypeRef type)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && LLVMGlobalGetValueType(callee) == type &&
	       LLVMGetFunctionCallConv(callee) == LLVMGetInstructionCallConv(call);
}

static bool has_variable_object(struct importer *im, LLVMValueRef call, unsigned fixed)
{
	unsigned n = LLVMGetNumArgOperands(call);

	for (unsigned i = fixed; i < n; i++)
		if (attr_at(call, i + 1, im->attrs.byval))
			return true;
	return false;
}

/* The variable arguments as the IR has them, each one scalar, with their attributes. */
static void add_variable(struct strbuf *b, struct fn *fn, LLVMValueRef call, unsigned fixed)
{
	const struct ir_insn *in = &vec_last(&fn->f.insns);
	unsigned n = LLVMGetNumArgOperands(call);
	uint32_t first = in->arg[2] - (n - fixed);

	strbuf_adds(b, "; void @_(");
	for (unsigned i = fixed; i < n; i++) {
		strbuf_adds(b, i > fixed ? ", " : "");
		ir_abi_type(b, ref_type(fn, fn->f.extra.at[in->arg[1] + 2 * (first + i - fixed)]));
		add_param_attrs(b, fn->im, call, i + 1);
	}
	strbuf_addc(b, ')');
}

void abi_call(struct fn *fn, LLVMValueRef call)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	unsigned fixed = LLVMCountParamTypes(type);
	bool variable = LLVMIsFunctionVarArg(type) && has_variable_object(fn->im, call, fixed);
	struct strbuf b = {0}, plain = {0};

	if (fn->im->flags & IMPORT_MODEL || (agrees_with_callee(call, type) && !variable))
		return;
	add_signature(&b, fn->im, call, type, LLVMGetInstructionCallConv(call), true);
	if (variable)
		add_variable(&b, fn, call, fixed);
	ir_abi_call_default(&plain, fn->im->p, &fn->f, &vec_last(&fn->f.insns));
	if (strcmp(b.s, plain.s))
		note_last(fn)->abi = str_id(fn->im, b.s, b.n);
	strbuf_release(&b);
	strbuf_release(&plain);
}

void abi_asm(struct fn *fn, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	struct strbuf b = {0};
	struct ir_note *n;
	const char *s;
	size_t len;

	if (fn->im->flags & IMPORT_MODEL)
		return;
	n = note_last(fn);
	add_signature(&b, fn->im, call, LLVMGetCalledFunctionType(call), 0, true);
	n->abi = str_id(fn->im, b.s, b.n);
	if (LLVMIsAInlineAsm(callee)) {
		s = LLVMGetInlineAsmConstraintString(callee, &len);
		strbuf_clear(&b);
		strbuf_adds(&b, LLVMGetInlineAsmDialect(callee) == LLVMInlineAsmDialectIntel
					? "intel "
					: "att ");
		if (LLVMGetInlineAsmNeedsAlignedStack(callee))
			strbuf_adds(&b, "alignstack ");
		strbuf_add(&b, s, len);
		n->constraints = str_id(fn->im, b.s, b.n);
	}
	strbuf_release(&b);
}

void abi_inexact(struct fn *fn, const char *why)
{
	note_last(fn)->inexact = str_id(fn->im, why, strlen(why));
}

/* ---- functions and globals --------------------------------------------------------------- */

static void add_enum_attrs(struct strbuf *b, LLVMValueRef f)
{
	static const char *const words[] = {"naked", "strictfp", "noinline", "alwaysinline",
		"optnone", "nobuiltin", "null_pointer_is_valid"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (LLVMGetEnumAttributeAtIndex(
			    f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attr_kind(words[i])))
			strbuf_addf(b, "%s%s", b->n ? " " : "", words[i]);
}

/* What clang gives every function for x86-64 without options is left out. */
static bool string_attr_counts(const char *key, size_t nkey, const char *value, size_t nvalue)
{
	static const struct {
		const char *key, *usual;
	} kept[] = {
		{"target-cpu", "x86-64"},
		{"target-features", "+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87"},
		{"denormal-fp-math", "ieee,ieee"},
		{"denormal-fp-math-f32", "ieee,ieee"},
		{"strict-float-cast-overflow", ""},
		{"no-builtins", NULL},
		{"patchable-function", NULL},
		{"no_caller_saved_registers", NULL},
	};
	static const char prefix[] = "no-builtin-";

	if (nkey > sizeof prefix - 1 && !memcmp(key, prefix, sizeof prefix - 1))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (nkey == strlen(kept[i].key) && !memcmp(key, kept[i].key, nkey))
			return !kept[i].usual || nvalue != strlen(kept[i].usual) ||
			       memcmp(value, kept[i].usual, nvalue);
	return false;
}

static void add_string_attrs(struct strbuf *b, struct importer *im, LLVMValueRef f)
{
	LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	unsigned n = LLVMGetAttributeCountAtIndex(f, at), nkey, nvalue;
	LLVMAttributeRef *all = arena_array(&im->arena, LLVMAttributeRef, n + 1);

	LLVMGetAttributesAtIndex(f, at, all);
	for (unsigned i = 0; i < n; i++) {
		const char *key, *value;

		if (!LLVMIsStringAttribute(all[i]))
			continue;
		key = LLVMGetStringAttributeKind(all[i], &nkey);
		value = LLVMGetStringAttributeValue(all[i], &nvalue);
		if (string_attr_counts(key, nkey, value, nvalue))
			strbuf_addf(b, "%s\"%.*s\"=\"%.*s\"", b->n ? " " : "", (int)nkey, key,
				(int)nvalue, value);
	}
}

static uint32_t section_of(struct importer *im, LLVMValueRef v)
{
	const char *s = LLVMGetSection(v);

	return s && *s ? str_id(im, s, strlen(s)) : 0;
}

static bool is_hidden(LLVMValueRef v)
{
	return LLVMGetVisibility(v) == LLVMHiddenVisibility;
}

void abi_func(struct importer *im, LLVMValueRef v, struct ir_func *f)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(v);
	bool is_func = LLVMGetValueKind(v) == LLVMFunctionValueKind;
	struct strbuf b = {0}, plain = {0};

	f->abi = f->attrs = f->section = 0;
	if (im->flags & IMPORT_MODEL)
		return;
	add_signature(&b, im, v, type, is_func ? LLVMGetFunctionCallConv(v) : 0, is_func);
	ir_abi_func(&plain, im->p, f);
	if (strcmp(b.s, plain.s))
		f->abi = str_id(im, b.s, b.n);
	strbuf_clear(&b);
	if (is_func) {
		add_enum_attrs(&b, v);
		add_string_attrs(&b, im, v);
		f->section = section_of(im, v);
	} else {
		strbuf_adds(&b, "ifunc");
	}
	f->attrs = str_id(im, b.s, b.n);
	if (is_hidden(v))
		f->flags |= IR_FN_HIDDEN;
	strbuf_release(&b);
	strbuf_release(&plain);
}

void abi_global(struct importer *im, LLVMValueRef v, struct ir_global *g)
{
	g->section = 0;
	if (im->flags & IMPORT_MODEL)
		return;
	g->section = section_of(im, v);
	if (is_hidden(v))
		g->flags |= IR_G_HIDDEN;
}

/* ---- the module -------------------------------------------------------------------------- */

static void mark_used(struct importer *im, const char *list)
{
	LLVMValueRef v = LLVMGetNamedGlobal(im->mod, list), init, e;
	struct ir_const c;
	uint64_t n;

	init = v ? LLVMGetInitializer(v) : NULL;
	n = init && LLVMGetTypeKind(LLVMTypeOf(init)) == LLVMArrayTypeKind
		    ? LLVMGetArrayLength2(LLVMTypeOf(init))
		    : 0;
	for (uint64_t i = 0; i < n; i++) {
		e = LLVMGetAggregateElement(init, (unsigned)i);
		if (!e || !const_eval(im, e, &c))
			continue;
		if (c.kind == IR_C_FUNC)
			im->p->funcs.at[c.id].flags |= IR_FN_USED;
		else if (c.kind == IR_C_GLOBAL)
			im->p->globals.at[c.id].flags |= IR_G_USED;
	}
}

void abi_module(struct importer *im)
{
	size_t n;
	const char *s = LLVMGetModuleInlineAsm(im->mod, &n);

	if (n)
		vec_push(&im->p->asms, str_id(im, s, n));
	mark_used(im, "llvm.used");
	mark_used(im, "llvm.compiler.used");
}
