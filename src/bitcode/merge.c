#include "bitcode/merge.h"

#include "bitcode/module.h"

#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <string.h>

LLVMModuleRef merge_load_unit(LLVMContextRef c, struct merge_unit *u, enum clean_level level)
{
	char *wrong = NULL;
	LLVMModuleRef m;
	size_t n;

	for (;; level--) {
		m = module_read(c, u->name, u->data, u->n, &u->left);
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

static LLVMValueRef find_symbol(LLVMModuleRef m, const char *name)
{
	LLVMValueRef v = LLVMGetNamedFunction(m, name);

	if (!v)
		v = LLVMGetNamedGlobal(m, name);
	return v ? v : LLVMGetNamedGlobalAlias(m, name, strlen(name));
}

/* The name of a symbol that both modules define, or NULL. LLVM reports such a symbol too, but only
 * after it has changed `to`. */
static const char *find_clash(LLVMModuleRef to, LLVMModuleRef from)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(from); f; f = LLVMGetNextFunction(f))
		if (is_strong(f) && is_strong(find_symbol(to, LLVMGetValueName(f))))
			return LLVMGetValueName(f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(from); g; g = LLVMGetNextGlobal(g))
		if (is_strong(g) && is_strong(find_symbol(to, LLVMGetValueName(g))))
			return LLVMGetValueName(g);
	return NULL;
}

/* Replaces every reference to `from` by one to `to`; a definition of `from` keeps its name. */
static void redirect_symbol(LLVMModuleRef m, const char *from, const char *to)
{
	LLVMValueRef v = find_symbol(m, from), target = find_symbol(m, to);

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
		LLVMValueRef v = find_symbol(m, opt->wrapped[i]);
		char *to = xasprintf("__wrap_%s", opt->wrapped[i]);

		if (v && (opt->wrap_own || LLVMIsDeclaration(v)))
			redirect_symbol(m, opt->wrapped[i], to);
		free(to);
	}
}

static void unwrap_references(LLVMModuleRef m, const struct merge_options *opt)
{
	for (uint32_t i = 0; i < opt->nwrapped; i++) {
		char *from = xasprintf("__real_%s", opt->wrapped[i]);

		redirect_symbol(m, from, opt->wrapped[i]);
		free(from);
	}
}

/* False after u->left is set; if *spoiled is set too, `to` is damaged and must be disposed of. */
static bool add_unit(
	LLVMModuleRef to, struct merge_unit *u, const struct merge_options *opt, bool *spoiled)
{
	LLVMContextRef c = LLVMGetModuleContext(to);
	LLVMModuleRef m = merge_load_unit(c, u, opt->level);
	const char *twice;

	*spoiled = false;
	if (!m)
		return false;
	wrap_references(m, opt);
	twice = find_clash(to, m);
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
		u->left = module_error(c, "it does not link with the others");
	return !*spoiled;
}

/* Gives a module without units the target of this machine: the importer refuses a module without
 * one. */
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
