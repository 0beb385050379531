/*
 * Private to spin.c, spin_round.c, spin_way.c and spin_values.c: facts about one function, and the symbolic
 * execution of one round of a loop.
 */
#ifndef HEDDLE_FACTS_SPIN_INTERNAL_H
#define HEDDLE_FACTS_SPIN_INTERNAL_H

#include "ir/dom.h"
#include "ir/loops.h"
#include "facts/spin.h"
#include "term/term.h"

enum spin_local { /* kind of a register */
	SPIN_NO_LOCAL,
	SPIN_SCALAR, /* the address of an alloca that is only loaded and stored as a whole */
	SPIN_SINK,   /* the address of an alloca that is never loaded: only stored, or passed to
			calls that pass time */
	SPIN_ESCAPED, /* the address of an alloca that is used in another way */
};

struct spin_func {
	struct cfg cfg;
	struct loops loops;
	struct dom dom;
	uint8_t *local;    /* enum spin_local, by register */
	uint32_t *base;    /* by register: the register of the alloca into which it points, or
			      IR_NONE */
	struct spin *found; /* by loop; header == BLK_NONE: not computed yet */
};

struct spins {
	const struct ir_program *p;
	struct spin_func **funcs; /* by function; NULL: not computed yet */
	uint8_t *calls; /* by function: enum spin_call */
	bool tries;     /* the program uses operations that fail while another thread holds a lock */
};

enum spin_call { /* effect of a call of the function */
	SPIN_CALL_OTHER,
	SPIN_CALL_TIME, /* only passes time */
	SPIN_CALL_TRY,  /* tries to acquire a lock or semaphore; returns 0 on success */
	SPIN_CALL_LOCK,
	SPIN_CALL_UNLOCK,
	SPIN_CALL_WAIT, /* for a condition variable */
	SPIN_CALL_TIMED_WAIT, /* the same with a time limit */
};

/* computed on first use */
struct spin_func *spin_func(struct spins *s, uint32_t func);
/* Does the instruction call a function that only passes time, and writes at most to SPIN_SINK
 * variables (the remaining time of nanosleep)? */
bool spin_passes_time(struct spins *s, uint32_t func, const struct ir_insn *in);
/* Can the global variable have only the values 0 and `value`? True if it is local, has no alias, has one
 * of them initially, and is accessed only directly, by loads, and by stores, exchanges and
 * compare-and-swaps of the whole variable that write one of them. */
bool spin_only_value(const struct ir_program *p, uint32_t global, uint64_t value);
/* Does nothing depend on the register, or on the variable of that alloca, but values that are used
 * in the same way and times to sleep? Such a value may differ in each round. */
bool spin_only_counts(struct spins *s, uint32_t func, uint32_t reg);
/* kind, exits and sure of the loop */
struct spin spin_round(struct spins *s, uint32_t func, uint32_t loop);

#endif
