/*
 * Code for a frame that has registers which are unknown, or terms, while it executes blocks that do
 * not touch them: a copy of the function's threaded code in which every block that reads or writes one
 * of these registers begins by shifting to the careful mode. So a symbolic value that is merely alive
 * does not slow down the loops around it.
 *
 *  - frame.code is the copy as long as the frame is fast; its shadow and terms are kept meanwhile
 *  - a careful frame has the function's own code
 *
 * Copies are kept by the set of registers. Lifetime: the machine's arena.
 */
#ifndef HEDDLE_MACHINE_GUARD_H
#define HEDDLE_MACHINE_GUARD_H

#include "machine/code.h"

struct guard {
	const struct guard *next; /* of the same function */
	uint32_t n;
	const uint32_t *regs; /* rising */
	const bool *touched;  /* by block */
	struct code code;
};

/* For the set of registers, n > 0, rising; NULL if there are too many sets. */
const struct guard *guard_get(struct machine *m, uint32_t func, const uint32_t *regs, uint32_t n);

#endif
