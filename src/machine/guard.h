/*
 * Code for a frame with registers that have undefined bits or terms, for blocks that do not access
 * these registers: a copy of the function's threaded code in which every block that reads or writes
 * one of the registers begins with a switch to the careful mode. So a symbolic value that is live
 * but not used does not slow down a loop.
 *
 *  - frame.code is the copy while the frame is fast; its shadow and terms stay valid meanwhile
 *  - a careful frame has the function's own code
 *
 * There is one copy for each set of registers, and their number is limited. Lifetime: the machine's
 * arena.
 */
#ifndef HEDDLE_MACHINE_GUARD_H
#define HEDDLE_MACHINE_GUARD_H

#include "machine/code.h"

struct guard {
	const struct guard *next; /* of the same function */
	uint32_t n;
	const uint32_t *regs; /* n registers, rising */
	const bool *touched;  /* by block: it reads or writes one of them */
	struct code code;
};

/* The guard of a set of n > 0 registers, rising; NULL if the function has too many guards. */
const struct guard *guard_get(struct machine *m, uint32_t func, const uint32_t *regs, uint32_t n);

#endif
