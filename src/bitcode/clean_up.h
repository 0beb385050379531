/*
 * The clean-up level of a unit's bitcode: what heddle analyses and compiles its images from.
 * Locals are promoted to registers and arithmetic on them is simplified; shared accesses,
 * synchronization, calls and branches stay as the front end wrote them, one for one, in order (the
 * trick and its check are in keep.h). A wait loop on a plain flag stays a loop with its load.
 *
 * Calls lose promises about their effects on memory (`pure`, `const`), because an instrumented
 * callee does not keep them.
 */
#ifndef HEDDLE_BITCODE_CLEAN_UP_H
#define HEDDLE_BITCODE_CLEAN_UP_H

#include "base/base.h"

#include <llvm-c/Core.h>

/* HEDDLE_CC_CLEANUP names one, for tests and measurements; full is what users get. */
#define CLEAN_LEVELS(X)                                                                            \
	X(NONE, "none") /* as the front end wrote it */                                            \
	X(SROA, "sroa") /* locals promoted, nothing else */                                        \
	X(FULL, "full")

enum clean_level {
#define X(id, name) CLEAN_##id,
	CLEAN_LEVELS(X)
#undef X
	CLEAN_NLEVELS
};

/* false if the name is no level */
bool clean_parse_level(const char *name, enum clean_level *out);

/* NULL, or why it failed (free it): then the module is spoiled. */
char *clean_module(LLVMModuleRef m, enum clean_level level);

#endif
