/*
 * The units of a program linked into one module (LLVMLinkModules2), in the order of the native
 * link. A unit that does not fit (broken, for another target, a symbol defined twice) is left out
 * with the reason, and the others go on without it.
 */
#ifndef HEDDLE_CC_MERGE_H
#define HEDDLE_CC_MERGE_H

#include "base/vec.h"
#include "cc/clean.h"

#include <llvm-c/Types.h>

struct merge_unit {
	const char *name; /* for messages */
	const void *data; /* bitcode; must outlive the merge */
	size_t n;
	bool raw;     /* straight from the front end: clean it up first */
	char *left;   /* why it was left out; NULL = it was not. Free it. */
	char *source; /* the file it was compiled from, NULL if not known. Free it. */
};

struct merge_options {
	enum clean_level level; /* for raw units */
	/* Symbols of the linker's --wrap: references to S become references to __wrap_S, and those
	 * to
	 * __real_S become references to S, here and now; a later link must not do it again. */
	const char *const *wrapped;
	uint32_t nwrapped;
	bool wrap_own; /* also inside the unit that defines S, as lld does and bfd does not */
};

/* Tells which unit is worked on, so that a crash can be blamed on it. May be NULL. */
typedef void (*merge_progress)(void *ctx, uint32_t unit);

/* Diagnostics of LLVM go to the functions here instead of ending the process. */
LLVMContextRef merge_context_new(void);
void merge_context_free(LLVMContextRef c);

/* One unit, cleaned up if it is raw: at the level asked for, or at the highest lower one that
 * works. NULL after unit->left is set. */
LLVMModuleRef merge_load(LLVMContextRef c, struct merge_unit *unit, enum clean_level level);
/* Never NULL: with all units left out, an empty module. */
LLVMModuleRef merge_units(LLVMContextRef c, struct merge_unit *units, uint32_t n,
	const struct merge_options *opt, merge_progress progress, void *ctx);

#endif
