/*
 * Propagation of undefined bits through operations on registers, bit by bit as in Memcheck (Seward
 * and Nethercote 2005): exact for logic, shifts by known amounts, casts, equality and order of
 * integers. After an addition, subtraction or multiplication every bit from the lowest undefined
 * one upward is undefined; after other operations every bit.
 */
#ifndef HEDDLE_MACHINE_SHADOW_H
#define HEDDLE_MACHINE_SHADOW_H

#include "machine/machine.h"

/* Sets the undefined bits of the results of eval_op(): out[0].u, for OVF also out[1].u. */
void shadow_op(const struct ir_insn *in, const struct opnd *a, struct opnd *out);

#endif
