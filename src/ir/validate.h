/*
 * ir_validate(): every id in range, every register defined once and before use on every path
 * (dominance), operand types as the shape demands, blocks ended by exactly one terminator, edges
 * copying exactly once into each register, byval and result counts of direct calls as declared
 * (a mismatched call of an unprototyped function is legal C and passes).
 * Returns 0, or -1 after error_at() for the first violation.
 */
#ifndef HEDDLE_IR_VALIDATE_H
#define HEDDLE_IR_VALIDATE_H

#include "ir/ir.h"

int ir_validate(const struct ir_program *p);
int ir_validate_func(const struct ir_program *p, uint32_t func);

#endif
