/*
 * ir_validate(): every id in range, every register defined once and before use on every path
 * (dominance), operand types as the shape demands, blocks ended by exactly one terminator, edges
 * copying exactly once into each register, byval and result counts of direct calls as declared
 * (a mismatched call of an unprototyped function is legal C and passes).
 * Returns 0, or -1 after error_at() for the first violation.
 *
 * Further:
 *  - an edge leaves one terminator, once; all edges into a block copy into the same registers
 *  - a register that is neither used nor defined may exist, of any type; one that is used has a
 *    definition also in unreachable code, where dominance is not asked for
 *  - a position is inlined at an older one, and no source type contains itself by value, so that
 *    walking either ends
 *  - a direct call is compared with its callee only where the callee is local and takes arguments
 *    of these very types: elsewhere two translation units may disagree, which is the program's
 *    fault and shows when the call is executed
 *
 * Linear but for the dominators (dom.h). A program that passes can be printed, interpreted and
 * analysed without further checks of ids.
 */
#ifndef HEDDLE_IR_VALIDATE_H
#define HEDDLE_IR_VALIDATE_H

#include "base/diag.h"
#include "ir/ir.h"

int ir_validate(const struct ir_program *p);
int ir_validate_func(const struct ir_program *p, uint32_t func);

/* The same, the caller knowing better places for the message than the source positions: insn is
 * IR_NONE for the function as such, func is IR_NONE for the program's tables. */
typedef struct diag_pos (*ir_where_fn)(void *ctx, uint32_t func, uint32_t insn);
int ir_validate_at(const struct ir_program *p, ir_where_fn where, void *ctx);

#endif
