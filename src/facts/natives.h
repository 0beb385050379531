/*
 * How recording handles calls of each function of a program: traced functions, and library
 * functions by name (log/effects.h, log/sync.def). A function that is in no table may do anything.
 *
 * Lifetime: phase (the arena given).
 */
#ifndef HEDDLE_FACTS_NATIVES_H
#define HEDDLE_FACTS_NATIVES_H

#include "base/arena.h"
#include "facts/plan.h"
#include "log/effects.h"
#include "log/format.h"

struct native {
	uint8_t call;    /* enum plan_call of a direct call */
	uint8_t sync;    /* CALL_SYNC: enum log_sync_kind */
	int8_t object;   /* CALL_SYNC: number of the parameter that is the object, -1 = none */
	uint8_t flags;   /* CALL_PURE, CALL_EFFECT: EFFECTS_* */
	bool unknown;    /* its effects on pointers are unknown, even if they are logged: it is in no
			    table, or may do anything, or KEEPS memory (externs.h) */
	bool heap;       /* only the program uses the memory that it allocates (malloc and its
			    family) */
	uint16_t effect; /* CALL_PURE, CALL_EFFECT: number in log/libc.def */
};

/* An array by function. `traced`: by function; such functions are CALL_TRACED. */
struct native *natives_resolve(struct arena *a, const struct ir_program *p, const bool *traced);

#endif
