/*
 * Allocation wrappers: functions that return only what they have allocated in the same activation
 * (or null), by an allocator or another wrapper. The objects of a wrapper belong to its caller:
 * xmalloc(), node_new() and the like are allocators of their own. One level: where wrappers call
 * wrappers, the caller of the outermost one counts.
 *
 * Lifetime: phase (the arena given).
 */
#ifndef HEDDLE_FACTS_WRAPPERS_H
#define HEDDLE_FACTS_WRAPPERS_H

#include "base/arena.h"
#include "facts/defs.h"
#include "facts/externs.h"

struct wrapper {
	bool is;
	uint32_t *calls; /* the instructions whose results it returns; rising */
	uint32_t ncalls;
	uint32_t size_param; /* the parameter that says how many bytes, or IR_NONE */
};

/* defs: by function; those with f == NULL are not looked at. Gives an array by function. */
struct wrapper *wrappers_find(struct arena *a, const struct ir_program *p, const struct defs *defs,
	const struct extern_summary *const *externs);
/* Is that call's result one that the function returns as its own allocation? */
bool wrapper_returns_call(const struct wrapper *w, uint32_t insn);

/* The function that the instruction calls directly, or IR_NONE. */
uint32_t wrapper_callee(const struct ir_func *f, const struct ir_insn *in);

#endif
