/*
 * The units of a program, linked into one module (LLVMLinkModules2) in the order of the native
 * link. A unit that cannot be linked (broken, for another target, a symbol defined twice) is left
 * out with the reason; the others are linked without it.
 */
#ifndef HEDDLE_BITCODE_MERGE_H
#define HEDDLE_BITCODE_MERGE_H

#include "base/base.h"
#include "bitcode/clean_up.h"

#include <llvm-c/Types.h>

struct merge_unit {
	const char *name; /* for messages */
	const void *data; /* bitcode; must outlive the merge */
	size_t n;
	bool raw;     /* as the front end wrote it: needs clean-up */
	char *left;   /* why it was left out; NULL = it was not. Free it. */
	char *source; /* the file it was compiled from; NULL = unknown. Free it. */
};

struct merge_options {
	enum clean_level level; /* for raw units */
	/* The symbols of the linker's --wrap. The merge replaces references to S by references to
	 * __wrap_S, and references to __real_S by references to S, so a later link must not. */
	const char *const *wrapped;
	uint32_t nwrapped;
	bool wrap_own; /* also inside the unit that defines S: lld does, bfd does not */
};

/* Called before work on a unit starts: after a crash, the last unit is to blame. May be NULL. */
typedef void (*merge_progress)(void *ctx, uint32_t unit);

/* The contexts come from module_context_new(). */

/* One unit. A raw unit is cleaned up at the given level or, where that fails, at the next lower
 * level that works. NULL after unit->left is set. */
LLVMModuleRef merge_load_unit(LLVMContextRef c, struct merge_unit *unit, enum clean_level level);
/* Never NULL; the module is empty if all units are left out. */
LLVMModuleRef merge_units(LLVMContextRef c, struct merge_unit *units, uint32_t n,
	const struct merge_options *opt, merge_progress progress, void *ctx);

#endif
