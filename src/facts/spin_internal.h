/*
 * Inside of spin.h: what is known of a function, and the symbolic execution of one round of a loop.
 */
#ifndef HEDDLE_FACTS_SPIN_INTERNAL_H
#define HEDDLE_FACTS_SPIN_INTERNAL_H

#include "ir/dom.h"
#include "ir/loops.h"
#include "facts/spin.h"
#include "smt/term.h"

enum spin_local { /* by register */
	SPIN_NO_LOCAL,
	SPIN_SCALAR, /* the address of a variable on the stack that is only loaded and stored, whole */
	SPIN_SINK,   /* or only stored, and handed to calls that pass time */
	SPIN_ESCAPED,
};

struct spin_func {
	struct cfg cfg;
	struct loops loops;
	struct dom dom;
	uint8_t *local;    /* enum spin_local, by register */
	uint32_t *base;    /* by register: the local that it points into; IR_NONE */
	struct spin *found; /* by loop; header == BLK_NONE: not looked at */
};

struct spins {
	const struct ir_program *p;
	struct spin_func **funcs;
	uint8_t *calls; /* by function: enum spin_call */
};

enum spin_call { /* what a call of the function is */
	SPIN_CALL_OTHER,
	SPIN_CALL_TIME, /* passes time */
	SPIN_CALL_TRY,
	SPIN_CALL_LOCK,
	SPIN_CALL_UNLOCK,
	SPIN_CALL_WAIT, /* for a condition variable */
};

struct spin_func *spin_func(struct spins *s, uint32_t func);
/* Whoever writes the global variable writes 0 or that value, and by its name: it has no others. */
bool spin_only_value(const struct ir_program *p, uint32_t global, uint64_t value);
/* kind and sure of the loop */
struct spin spin_round(struct spins *s, uint32_t func, uint32_t loop);

#endif
