#include "bitcode/clean_up.h"

#include "bitcode/keep_accesses.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

/*
 * instcombine folds arithmetic, early-cse finds equal computations, simplifycfg joins blocks; with
 * the options below, none of them duplicates code. What a compiler folds to a constant late
 * (__builtin_constant_p, object sizes) is folded here too, so that the importer does not meet it.
 */
#define SIMPLIFY_CFG                                                                               \
	"simplifycfg<bonus-inst-threshold=0;no-forward-switch-cond;no-switch-range-to-icmp;"       \
	"no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"               \
	"no-speculate-blocks;no-simplify-cond-branch>"
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"

static const char promote_scalars[] = "function(lower-expect,mem2reg)";
static const char promote_parts[] = "function(sroa<preserve-cfg>)";
static const char simplify[] = "function(" INSTCOMBINE ",early-cse," SIMPLIFY_CFG
			       ",lower-constant-intrinsics," INSTCOMBINE "," SIMPLIFY_CFG ",dce)";

bool clean_parse_level(const char *name, enum clean_level *out)
{
	static const char *const names[] = {
#define X(id, name) name,
		CLEAN_LEVELS(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name)) {
			*out = (enum clean_level)i;
			return true;
		}
	return false;
}

static char *run_passes(LLVMModuleRef m, const char *passes)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef err = LLVMRunPasses(m, passes, NULL, o);
	char *message = NULL, *text;

	LLVMDisposePassBuilderOptions(o);
	if (err) {
		text = LLVMGetErrorMessage(err);
		message = xstrdup(text);
		LLVMDisposeErrorMessage(text);
	}
	return message;
}

static char *verify_module(LLVMModuleRef m)
{
	char *text = NULL, *message = NULL;

	if (LLVMVerifyModule(m, LLVMReturnStatusAction, &text))
		message = xasprintf("invalid after clean-up: %.*s", (int)strcspn(text, "\n"), text);
	LLVMDisposeMessage(text);
	return message;
}

char *clean_module(LLVMModuleRef m, enum clean_level level)
{
	struct keep *k;
	char *failure, *changed;

	if (level == CLEAN_NONE)
		return NULL;
	k = keep_begin(m);
	failure = run_passes(m, promote_scalars);
	if (!failure) {
		keep_shared_accesses(k);
		failure = run_passes(m, promote_parts);
	}
	if (!failure && level == CLEAN_FULL) {
		keep_all_accesses(k);
		failure = run_passes(m, simplify);
	}
	changed = keep_restore(k);
	if (failure) {
		free(changed);
		return failure;
	}
	return changed ? changed : verify_module(m);
}
