/*
 * Allocation wrappers: functions that return only objects that they have allocated in the same
 * activation, by an allocator or another wrapper, or null. Examples are xmalloc() and node_new().
 * The points-to analysis treats a wrapper as an allocator: there is an object for each call of the
 * wrapper. If a wrapper calls a wrapper, there is an object for each call of the outermost one.
 *
 * Lifetime: phase (the arena given).
 */
#ifndef HEDDLE_FACTS_WRAPPERS_H
#define HEDDLE_FACTS_WRAPPERS_H

#include "base/arena.h"
#include "facts/defs.h"
#include "facts/externs.h"

struct wrapper {
	bool is; /* the function is a wrapper */
	uint32_t *calls; /* the call instructions whose results it returns; ascending */
	uint32_t ncalls;
	uint32_t size_param; /* the parameter that is the size in bytes, or IR_NONE */
};

/* Returns an array by function. defs: by function; those with f == NULL are skipped. */
struct wrapper *wrappers_find(struct arena *a, const struct ir_program *p, const struct defs *defs,
	const struct extern_summary *const *externs);
/* Is w a wrapper that returns the result of the call instruction? */
bool wrapper_returns_call(const struct wrapper *w, uint32_t insn);

#endif
