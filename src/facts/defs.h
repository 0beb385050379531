/*
 * The sources of the values of one function. A slot is an alloca whose address is used only for
 * direct loads and stores; it is a variable like a register, with the number regs.n + k.
 *
 * Valid while the function does not change. Linear; owner: the caller (heap).
 *
 *  - flows into register or slot v: flows[at[v] .. at[v + 1]); none if v is not a copy of a value,
 *    nor a value with something added
 *  - slot_of[l] is the number of the slot of local l, or IR_NONE
 */
#ifndef HEDDLE_FACTS_DEFS_H
#define HEDDLE_FACTS_DEFS_H

#include "ir/ir.h"

struct defs_flow {
	ir_ref from; /* register, slot number, or constant */
	bool moved;  /* v is `from` with something added */
};

struct defs {
	const struct ir_func *f;
	uint32_t n; /* registers and slots */
	uint32_t *at;
	struct defs_flow *flows;
	uint32_t *insn;    /* by register: the instruction that defines it, or IR_NONE */
	uint32_t *slot_of; /* by local */
	uint32_t nslots;
	uint32_t *cycle;   /* by register or slot: values on one cycle of flows have the same
			      number */
	bool *steps;       /* by register: it is its own earlier value with a constant added */
};

void defs_init(struct defs *d, const struct ir_func *f);
void defs_release(struct defs *d);

/* The slot with this address, or IR_NONE. */
uint32_t defs_slot(const struct defs *d, ir_ref address);
/* The instruction that defines the operand, or NULL (parameter, edge copy, constant). */
const struct ir_insn *defs_insn(const struct defs *d, ir_ref r);

/* Does the operation add a constant to one operand? Sets that operand and the constant. */
bool defs_adds_constant(const struct ir_func *f, const struct ir_insn *in, ir_ref *base,
	int64_t *bytes);
/* Is the operand an integer constant? Sets its value, sign-extended. */
bool defs_constant(const struct ir_func *f, ir_ref r, int64_t *k);

#endif
