/*
 * Reads the part of a module that a program needs. Most of the time of an import is LLVM's, for the
 * bodies of functions: the models have 1,500 functions, and a program needs a tenth of them.
 *
 * LLVM's lazy reader leaves the bodies unread, and its linker reads those that it moves to another
 * module. The linker does not move a `linkonce` definition that the other module does not refer to.
 * So all definitions become `linkonce`, an empty module declares what the program needs, and the
 * linker moves these and, transitively, what they refer to. Afterwards the definitions get their
 * linkage back.
 */
#include "import/import_internal.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include <string.h>

LLVMValueRef sym_named(LLVMModuleRef m, const char *name)
{
	LLVMValueRef v = LLVMGetNamedFunction(m, name);

	if (!v)
		v = LLVMGetNamedGlobal(m, name);
	return v ? v : LLVMGetNamedGlobalAlias(m, name, strlen(name));
}

static void make_optional(struct importer *im, LLVMValueRef v)
{
	if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) != LLVMExternalLinkage)
		return;
	intern_str(&im->optional, LLVMGetValueName(v));
	LLVMSetLinkage(v, LLVMLinkOnceAnyLinkage);
}

static void make_all_optional(struct importer *im, LLVMModuleRef m)
{
	LLVMValueRef v;

	for (v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v))
		make_optional(im, v);
	for (v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v))
		make_optional(im, v);
	for (v = LLVMGetFirstGlobalAlias(m); v; v = LLVMGetNextGlobalAlias(v))
		make_optional(im, v);
}

struct declaring { /* argument of declare_symbol() */
	LLVMModuleRef from, to;
};

static void declare_symbol(void *ctx, const char *name)
{
	const struct declaring *d = ctx;
	LLVMValueRef v = sym_named(d->from, name), g;
	LLVMTypeRef t;

	if (!v || sym_named(d->to, name))
		return;
	t = LLVMGlobalGetValueType(v);
	if (LLVMGetTypeKind(t) == LLVMFunctionTypeKind) {
		LLVMAddFunction(d->to, name, t);
		return;
	}
	g = LLVMAddGlobal(d->to, t, name);
	if (LLVMIsAGlobalVariable(v))
		LLVMSetThreadLocalMode(g, LLVMGetThreadLocalMode(v));
}

static void restore_linkage(struct importer *im)
{
	LLVMValueRef v;

	for (uint32_t i = 0; i < im->optional.n; i++) {
		v = sym_named(im->mod, intern_get(&im->optional, i));
		if (v && !LLVMIsDeclaration(v))
			LLVMSetLinkage(v, LLVMExternalLinkage);
	}
}

void needed_read(struct importer *im, LLVMMemoryBufferRef buf)
{
	struct declaring d = {0};

	intern_init(&im->optional);
	if (LLVMGetBitcodeModuleInContext2(im->ctx, buf, &d.from)) {
		LLVMDisposeMemoryBuffer(buf); /* else the module owns it */
		return;
	}
	d.to = LLVMModuleCreateWithNameInContext(im->name, im->ctx);
	LLVMSetTarget(d.to, LLVMGetTarget(d.from));
	LLVMSetDataLayout(d.to, LLVMGetDataLayoutStr(d.from));
	make_all_optional(im, d.from);
	sym_each_needed(im, declare_symbol, &d);
	if (LLVMLinkModules2(d.to, d.from)) { /* it frees d.from in any case */
		LLVMDisposeModule(d.to);
		return;
	}
	im->mod = d.to;
	restore_linkage(im);
}
