/*
 * The functions of a program as recording treats calls of them: traced ones, and those of the
 * library by name (log/effects.h, log/sync.def). What is in no table may do anything.
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
	int8_t object;   /* CALL_SYNC: the parameter that is the object, -1 = none */
	uint8_t flags;   /* CALL_PURE, CALL_EFFECT: EFFECTS_* */
	bool unknown;    /* nothing is known of what it does with pointers: there is no word about it
	                    in externs.def, it keeps what it is given, or it hands out memory that
	                    others write, whatever is logged of it */
	bool heap;       /* what it allocates is memory of the program alone (malloc and its family) */
	uint16_t effect; /* CALL_PURE, CALL_EFFECT: number in log/effects.def */
};

/* By function. `traced`: by function; those count as CALL_TRACED. */
struct native *natives_resolve(struct arena *a, const struct ir_program *p, const bool *traced);

#endif
