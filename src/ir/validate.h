/*
 * Validation of the IR. ir_validate() returns 0, or -1 after error_at() for the first violation of
 * these rules:
 *  - every id is in range
 *  - every register is defined once, and its definition dominates each use. A used register must
 *    also have a definition in unreachable code, but dominance is not required there. A register
 *    that is neither used nor defined may exist, with any type
 *  - operands have the types that the shape requires
 *  - a block has exactly one terminator, at its end
 *  - an edge leaves exactly one terminator; an edge copies into a register at most once, and all
 *    edges into a block copy into the same registers
 *  - a position is inlined at a position with a lower id, and no source type contains itself by
 *    value, so that following either of them ends
 *  - a direct call has the byval sizes and the number of results of its callee. This is checked
 *    only if the callee is local and has parameters of exactly the types of the arguments:
 *    a call of a function without prototype with other arguments is legal C, and a disagreement of
 *    two translation units is an error of the program, which is found when the call is executed
 *
 * Linear, except for the dominators (dom.h). A valid program can be printed, interpreted and
 * analysed without further checks of ids.
 */
#ifndef HEDDLE_IR_VALIDATE_H
#define HEDDLE_IR_VALIDATE_H

#include "base/diag.h"
#include "ir/ir.h"

int ir_validate(const struct ir_program *p);

/* The same, with a function that gives the place for the message instead of the source position.
 * insn is IR_NONE for the function as a whole, func is IR_NONE for the tables of the program. */
typedef struct diag_pos (*ir_where_fn)(void *ctx, uint32_t func, uint32_t insn);
int ir_validate_at(const struct ir_program *p, ir_where_fn where, void *ctx);

#endif
