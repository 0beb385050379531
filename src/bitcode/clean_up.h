/*
 * The clean-up of a unit's bitcode; heddle analyses the result and compiles its images from it.
 * Locals are promoted to registers and arithmetic on them is simplified. Shared accesses,
 * synchronization, calls and branches stay as the front end wrote them, one for one and in order
 * (keep_accesses.h says how, and checks it). A loop that waits for a plain flag stays a loop with
 * its load.
 *
 * Calls lose the attributes about their effects on memory (`pure`, `const`), because an
 * instrumented callee has other effects.
 */
#ifndef HEDDLE_BITCODE_CLEAN_UP_H
#define HEDDLE_BITCODE_CLEAN_UP_H

#include "base/base.h"

#include <llvm-c/Core.h>

/* The default is full; HEDDLE_CC_CLEANUP names another level, for tests and measurements. */
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

/* False if there is no level of that name. */
bool clean_parse_level(const char *name, enum clean_level *out);

/* NULL, or the reason of the failure (free it): then the module must not be used. */
char *clean_module(LLVMModuleRef m, enum clean_level level);

#endif
