/*
 * How unknown bits travel through operations on registers, bit by bit in the manner of Memcheck
 * (Seward and Nethercote 2005): exact for logic, shifts by known amounts, casts, equality and
 * order of integers; for carries, every bit above the lowest unknown one; else everything.
 */
#ifndef HEDDLE_MACHINE_SHADOW_H
#define HEDDLE_MACHINE_SHADOW_H

#include "machine/machine.h"

/* The unknown bits of the result(s) of eval_op(in, values of a); out[1].u for OVF. */
void shadow_op(const struct ir_insn *in, const struct opnd *a, struct opnd *out);

#endif
