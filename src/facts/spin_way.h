/*
 * One path through a round of a loop (spin_round.c), executed with terms: its frames, its
 * variables, and what it did that others can observe. Registers and SPIN_SCALAR variables have a
 * symbol for their value at the header; each load from other memory gives a new symbol.
 *
 * Private to spin_round.c, which chooses the paths, and spin_way.c, which executes instructions.
 * Lifetime: heap, way_release(); terms belong to the round.
 */
#ifndef HEDDLE_FACTS_SPIN_WAY_H
#define HEDDLE_FACTS_SPIN_WAY_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/spin_internal.h"

struct way_update {      /* an atomic update of memory that others can access */
	term_t old, put; /* the value before and after; put is TERM_NONE if there is no term */
	bool exchange;
	uint32_t global; /* the global of which it updates all bytes, or IR_NONE */
};

struct way_frame {
	uint32_t func;
	uint32_t block, at; /* the next instruction */
	VEC(term_t) regs;   /* TERM_NONE: not defined in this round yet */
};

struct way_variable {        /* a SPIN_SCALAR variable of a frame */
	uint32_t frame, reg; /* depth of the frame, from 1; register of the alloca */
	term_t value;
};

struct way { /* a path through the round */
	VEC(struct way_frame) frames;
	VEC(struct way_variable) vars;
	VEC(struct way_update) updates;
	VEC(term_t) tries; /* results of try operations */
	term_t cond;       /* path condition */
	VEC(struct held {
		term_t lock; /* its address */
		int32_t n;   /* lock operations minus unlock operations */
	})
	held;
};

struct round { /* of a loop: what all paths have in common, and what they showed */
	struct spins *s;
	struct spin_func *sf;
	const struct ir_func *fn;
	uint32_t func, loop, header;
	struct terms *ts;
	uint32_t ways, steps; /* paths that ended, instructions that were executed */
	/* results */
	bool none; /* the loop does more than wait, or a limit was reached */
	bool reads, updates, tries, waits, timed, locks; /* the round has such operations */
	bool doubt;            /* an exchange may change the value: spin.sure is false */
	struct bitset handed;  /* registers and variables (by the register of the alloca) that a
				  round changes for the next round */
	struct bitset exposed; /* variables whose value at the header is read, in the round or after
				  the loop */
	struct map fixed;      /* register or variable -> term: the constant that it has at the
				  header */
};

struct way way_copy(const struct way *w);
void way_release(struct way *w);
static inline struct way_frame *way_top(const struct way *w)
{
	return &vec_last(&w->frames);
}
/* Pushes a frame that begins at the block. */
void way_enter(const struct round *r, struct way *w, uint32_t func, uint32_t block);
/* Executes a return: pops the frame. */
void way_leave(struct round *r, struct way *w, const struct ir_insn *in);
/* Executes an instruction that is no branch and no return; false, and r->none, if it has effects
 * that are not handled. A call of a function of the program pushes a frame. */
bool way_execute(struct round *r, struct way *w, const struct ir_insn *in);

/* The value of an operand. */
term_t way_value(struct round *r, struct way *w, ir_ref ref);
/* The value of a register ('r') or variable ('m') at the header: its symbol, or its constant. */
term_t way_at_head(struct round *r, uint32_t reg, char what, unsigned bits);
/* Gives new symbols to the results of the instruction. */
void way_forget(struct round *r, struct way *w, const struct ir_insn *in);
/* The variable of the alloca in the current frame. Valid until the next one is added. */
struct way_variable *way_variable(struct round *r, struct way *w, uint32_t reg, unsigned bits);
/* The variable is read: marks it as exposed if it has not been written since the header. */
void way_reads(struct round *r, struct way *w, const struct way_variable *v);
/* Is the path possible if t holds? True if the solver does not decide it. The limits are of work,
 * not of time, so that the same program always has the same spin loops. */
bool way_possible(struct round *r, const struct way *w, term_t t);

#endif
