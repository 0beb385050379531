/*
 * The transform of the image kind "record": the module logs what facts/plan.h says, and calls the
 * hooks of runtime/hooks.h. What the program does is not changed; what it computes is made exactly
 * what the IR says (no fast-math, no fusing that the importer does not know of).
 */
#ifndef HEDDLE_INSTRUMENT_INSTRUMENT_H
#define HEDDLE_INSTRUMENT_INSTRUMENT_H

#include "base/base.h"
#include "facts/plan.h"

#include <llvm-c/Types.h>

struct instrument {
	struct plan_options plan;
	bool open; /* native objects are part of the program: see plan_new() */
	bool points; /* a call of __heddle_point() (runtime/hooks.h) before each PLAN_F_EVENT, and the
			functions of log/instead.def */
};

/* NULL, or why it cannot be done (free it): then the module is spoiled. `name` is for messages. */
char *instrument_module(LLVMModuleRef m, const char *name, const struct instrument *opt);

#endif
