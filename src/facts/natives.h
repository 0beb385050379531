/*
 * The functions of a program that recording does not trace, as it treats them: by name, from
 * log/sync.def and the table of known effects. What is in neither may do anything.
 *
 * Lifetime: phase (the arena given).
 */
#ifndef HEDDLE_FACTS_NATIVES_H
#define HEDDLE_FACTS_NATIVES_H

#include "base/bitset.h"
#include "facts/plan.h"
#include "log/format.h"

struct native {
	uint8_t call;    /* enum plan_call of a direct call */
	uint8_t sync;    /* CALL_SYNC: enum log_sync_kind */
	int8_t object;   /* CALL_SYNC: the parameter that is the object, -1 = none */
	bool keeps;      /* it keeps what it is given, or hands out memory that others write: to the
	                    points-to analysis it is unknown, whatever is logged of it */
	bool heap;       /* its result is memory of the program alone (malloc and its family) */
	uint16_t effect; /* CALL_EFFECT */
};

/* By function. `traced`: by function; those count as CALL_TRACED. */
struct native *natives_resolve(struct arena *a, const struct ir_program *p, const bool *traced);

#endif
