/*
 * Where the values of one function come from, register by register. A slot is an alloca whose
 * address is only ever loaded from and stored to directly: it is a variable like a register, and
 * has the number nregs + k.
 *
 * Valid while the function does not change. Linear; owner: the caller (heap).
 *
 *  - flows into v: flows[at[v] .. at[v + 1]); a value that is not a copy or a move has none
 *  - slot_of[l] is the number of local l's slot, or IR_NONE
 */
#ifndef HEDDLE_FACTS_DEFS_H
#define HEDDLE_FACTS_DEFS_H

#include "ir/ir.h"

struct defs_flow {
	ir_ref from; /* register, slot number, or constant */
	bool moved;  /* with something added to it */
};

struct defs {
	const struct ir_func *f;
	uint32_t n; /* registers and slots */
	uint32_t *at;
	struct defs_flow *flows;
	uint32_t *insn;    /* by register: the instruction that defines it, or IR_NONE */
	uint32_t *slot_of; /* by local */
	uint32_t nslots;
	uint32_t *cycle;   /* by number: values on one cycle of flows have the same */
	bool *steps;       /* by register: a move that its own result comes back to */
};

void defs_init(struct defs *d, const struct ir_func *f);
void defs_release(struct defs *d);

/* The slot that the operand is the address of, or IR_NONE. */
uint32_t defs_slot(const struct defs *d, ir_ref address);
/* The instruction that defines the operand, or NULL (parameter, edge copy, constant). */
const struct ir_insn *defs_insn(const struct defs *d, ir_ref r);

/* If the operation adds a constant to one operand: that operand and the constant. */
bool defs_adds_constant(const struct ir_func *f, const struct ir_insn *in, ir_ref *base,
	int64_t *bytes);
/* The integer constant, or false. */
bool defs_constant(const struct ir_func *f, ir_ref r, int64_t *k);

#endif
