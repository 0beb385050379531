/*
 * Private variables of one function: allocas whose address, and addresses at constant offsets from
 * it, are used only by loads, stores, block operations of constant length and lifetime marks that
 * stay inside the variable. The behaviour of the program does not depend on the address of such a
 * variable.
 *
 * Valid while the function does not change. Linear; owner: the caller (heap).
 */
#ifndef HEDDLE_FACTS_PLAN_PRIVATE_H
#define HEDDLE_FACTS_PLAN_PRIVATE_H

#include "base/bitset.h"
#include "ir/ir.h"

struct plan_private {
	struct bitset insns; /* allocas of private variables */
	struct bitset regs;  /* registers that hold the address of a byte of a private variable */
};

/* `none`: no variable is private */
void plan_private_init(struct plan_private *pv, const struct ir_func *f, bool none);
void plan_private_release(struct plan_private *pv);

static inline bool plan_private_local(const struct plan_private *pv, uint32_t insn)
{
	return bitset_has(&pv->insns, insn);
}
static inline bool plan_private_at(const struct plan_private *pv, ir_ref r)
{
	return r != IR_NONE && ir_is_reg(r) && bitset_has(&pv->regs, r);
}

#endif
