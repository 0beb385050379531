/*
 * The transform of a module for the images that record: the module writes the log that the plan
 * (facts/plan.h) describes, and calls the hooks of runtime/hooks.h. The program itself behaves as
 * before. Its arithmetic becomes exactly that of the IR: no fast-math, and multiply-add is fused
 * only where the importer has it fused.
 */
#ifndef HEDDLE_INSTRUMENT_INSTRUMENT_H
#define HEDDLE_INSTRUMENT_INSTRUMENT_H

#include "base/base.h"
#include "facts/plan.h"

#include <llvm-c/Types.h>

struct instrument {
	struct plan_options plan;
	bool open;   /* native objects are part of the program: see plan_new() */
	bool points; /* for the enforcing runtime: a call of __heddle_point() (runtime/hooks.h)
			before each PLAN_F_EVENT, and replacements for the functions of
			log/instead.def */
};

/* NULL, or the reason of the failure (free it): then the module must not be used. `name` is for
 * messages. */
char *instrument_module(LLVMModuleRef m, const char *name, const struct instrument *opt);

#endif
