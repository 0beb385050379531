/*
 * Random valid programs in the IR, for tests. The same seed gives the same program.
 *
 * Without GEN_IR_EXOTIC the program can be executed: it has a main(i32, ptr) -> i32, ends after a
 * bounded number of steps (counted loops, calls only towards later functions and outside loops),
 * reads no uninitialized memory, stays inside its objects, divides by nothing that faults, and
 * has no undef. It contains arithmetic of all widths and of floats, branches, switches, loops with
 * edge copies, selects, conversions, memory on locals and globals, bulk operations, atomics, calls
 * direct and through a table, byval arguments, several results.
 * main returns a checksum of what was computed, and leaves all of it in the global 'checksum'.
 *
 * With GEN_IR_EXOTIC it is only valid: every operation of ops.def turns up with any operands that
 * fit, flags, undef, odd names, twins, aliases, constructors, extern symbols, unreachable blocks.
 */
#ifndef HEDDLE_TESTS_GEN_IR_H
#define HEDDLE_TESTS_GEN_IR_H

#include "ir/ir.h"

enum { GEN_IR_EXOTIC = 1 << 0 };

/* `size` is about the number of instructions in each of a handful of functions */
struct ir_program *gen_ir(uint64_t seed, uint32_t size, unsigned flags);

/* Adds a constant to the function; equal constants have the same reference. */
ir_ref gen_add_const(struct ir_func *f, struct ir_const c);

#endif
