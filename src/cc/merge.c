#include "cc/merge.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <string.h>

/* ---- what LLVM says ---------------------------------------------------------------------- */

struct complaint {
	char *text; /* the first error since it was last taken */
};

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	struct complaint *c = ctx;
	char *text;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || c->text)
		return;
	text = LLVMGetDiagInfoDescription(info);
	c->text = xstrndup(text, strcspn(text, "\n"));
	LLVMDisposeMessage(text);
}

LLVMContextRef merge_context_new(void)
{
	LLVMContextRef c = LLVMContextCreate();

	LLVMContextSetDiagnosticHandler(c, on_diagnostic, xcalloc(1, sizeof(struct complaint)));
	return c;
}

void merge_context_free(LLVMContextRef c)
{
	struct complaint *text = LLVMContextGetDiagnosticContext(c);

	LLVMContextDispose(c);
	free(text->text);
	free(text);
}

/* "what: what LLVM said" */
static char *failure(LLVMContextRef ctx, const char *what)
{
	struct complaint *c = LLVMContextGetDiagnosticContext(ctx);
	char *text = c->text ? xasprintf("%s: %s", what, c->text) : xstrdup(what);

	free(c->text);
	c->text = NULL;
	return text;
}

/* ---- one unit ---------------------------------------------------------------------------- */

static LLVMModuleRef parse(LLVMContextRef c, struct merge_unit *u)
{
	LLVMMemoryBufferRef mb =
		LLVMCreateMemoryBufferWithMemoryRange(u->data, u->n, u->name, false);
	LLVMModuleRef m = NULL;

	if (LLVMParseBitcodeInContext2(c, mb, &m)) {
		u->left = failure(c, "unreadable bitcode");
		m = NULL;
	}
	LLVMDisposeMemoryBuffer(mb);
	return m;
}

LLVMModuleRef merge_load(LLVMContextRef c, struct merge_unit *u, enum clean_level level)
{
	char *wrong = NULL;
	LLVMModuleRef m;
	size_t n;

	for (;; level--) {
		m = parse(c, u);
		if (!m)
			break;
		free(wrong);
		wrong = u->raw ? clean_module(m, level) : NULL;
		if (!wrong)
			break;
		LLVMDisposeModule(m);
		m = NULL;
		if (level == CLEAN_NONE)
			break;
	}
	if (!m && !u->left)
		u->left = xasprintf("clean-up failed: %s", wrong);
	free(wrong);
	if (m && !u->source)
		u->source = xstrdup(LLVMGetSourceFileName(m, &n));
	return m;
}

/* ---- merging ----------------------------------------------------------------------------- */

static bool is_strong(LLVMValueRef v)
{
	return v && !LLVMIsDeclaration(v) && LLVMGetLinkage(v) == LLVMExternalLinkage;
}

static LLVMValueRef named(LLVMModuleRef m, const char *name)
{
	LLVMValueRef v = LLVMGetNamedFunction(m, name);

	if (!v)
		v = LLVMGetNamedGlobal(m, name);
	return v ? v : LLVMGetNamedGlobalAlias(m, name, strlen(name));
}

/* The name of a symbol that both define. LLVM would find it too, but leave `to` half changed. */
static const char *clash(LLVMModuleRef to, LLVMModuleRef from)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(from); f; f = LLVMGetNextFunction(f))
		if (is_strong(f) && is_strong(named(to, LLVMGetValueName(f))))
			return LLVMGetValueName(f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(from); g; g = LLVMGetNextGlobal(g))
		if (is_strong(g) && is_strong(named(to, LLVMGetValueName(g))))
			return LLVMGetValueName(g);
	return NULL;
}

/* Whoever refers to `from` now refers to `to`; a definition stays under its name. */
static void redirect(LLVMModuleRef m, const char *from, const char *to)
{
	LLVMValueRef v = named(m, from), target = named(m, to);

	if (!v)
		return;
	if (!target && LLVMIsDeclaration(v)) {
		LLVMSetValueName2(v, to, strlen(to));
		return;
	}
	if (!target && LLVMIsAFunction(v))
		target = LLVMAddFunction(m, to, LLVMGlobalGetValueType(v));
	else if (!target)
		target = LLVMAddGlobal(m, LLVMGlobalGetValueType(v), to);
	LLVMReplaceAllUsesWith(v, target);
	if (LLVMIsDeclaration(v) && LLVMIsAFunction(v))
		LLVMDeleteFunction(v);
}

static void wrap_references(LLVMModuleRef m, const struct merge_options *opt)
{
	for (uint32_t i = 0; i < opt->nwrapped; i++) {
		LLVMValueRef v = named(m, opt->wrapped[i]);
		char *to = xasprintf("__wrap_%s", opt->wrapped[i]);

		if (v && (opt->wrap_own || LLVMIsDeclaration(v)))
			redirect(m, opt->wrapped[i], to);
		free(to);
	}
}

static void unwrap_references(LLVMModuleRef m, const struct merge_options *opt)
{
	for (uint32_t i = 0; i < opt->nwrapped; i++) {
		char *from = xasprintf("__real_%s", opt->wrapped[i]);

		redirect(m, from, opt->wrapped[i]);
		free(from);
	}
}

/* false after u->left is set; then, if *spoiled, `to` must not be used any more */
static bool add_unit(
	LLVMModuleRef to, struct merge_unit *u, const struct merge_options *opt, bool *spoiled)
{
	LLVMContextRef c = LLVMGetModuleContext(to);
	LLVMModuleRef m = merge_load(c, u, opt->level);
	const char *twice;

	*spoiled = false;
	if (!m)
		return false;
	wrap_references(m, opt);
	twice = clash(to, m);
	if (!*LLVMGetTarget(to)) {
		LLVMSetTarget(to, LLVMGetTarget(m));
		LLVMSetDataLayout(to, LLVMGetDataLayoutStr(m));
	}
	if (twice)
		u->left = xasprintf("'%s' is defined twice", twice);
	else if (strcmp(LLVMGetTarget(to), LLVMGetTarget(m)))
		u->left = xasprintf("it was compiled for '%s'", LLVMGetTarget(m));
	if (u->left) {
		LLVMDisposeModule(m);
		return false;
	}
	*spoiled = LLVMLinkModules2(to, m);
	if (*spoiled)
		u->left = failure(c, "it does not link with the others");
	return !*spoiled;
}

/* For a module without a unit: still one that its readers take for ours. */
static void set_host_target(LLVMModuleRef m)
{
	char *triple = LLVMGetDefaultTargetTriple(), *layout, *wrong = NULL;
	LLVMTargetMachineRef tm;
	LLVMTargetDataRef data;
	LLVMTargetRef target;

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMSetTarget(m, triple);
	if (LLVMGetTargetFromTriple(triple, &target, &wrong)) {
		LLVMDisposeMessage(wrong);
	} else {
		tm = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
			LLVMRelocPIC, LLVMCodeModelDefault);
		data = LLVMCreateTargetDataLayout(tm);
		layout = LLVMCopyStringRepOfTargetData(data);
		LLVMSetDataLayout(m, layout);
		LLVMDisposeMessage(layout);
		LLVMDisposeTargetData(data);
		LLVMDisposeTargetMachine(tm);
	}
	LLVMDisposeMessage(triple);
}

LLVMModuleRef merge_units(LLVMContextRef c, struct merge_unit *units, uint32_t n,
	const struct merge_options *opt, merge_progress progress, void *ctx)
{
	LLVMModuleRef m;
	bool spoiled;

	do {
		m = LLVMModuleCreateWithNameInContext("heddle", c);
		spoiled = false;
		for (uint32_t i = 0; i < n && !spoiled; i++) {
			if (units[i].left)
				continue;
			if (progress)
				progress(ctx, i);
			add_unit(m, &units[i], opt, &spoiled);
		}
		if (spoiled)
			LLVMDisposeModule(m);
	} while (spoiled);
	if (!*LLVMGetTarget(m))
		set_host_target(m);
	unwrap_references(m, opt);
	return m;
}
