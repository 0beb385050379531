/*
 * Instructions that heddle does not translate: `asm` instructions with the template of inline
 * assembler, or with the name of an intrinsic of LLVM. The recorded program executes them, and the
 * log has their results (plan.h). Whether such an instruction accesses memory is found from its
 * operands and its text.
 */
#ifndef HEDDLE_FACTS_OPAQUE_H
#define HEDDLE_FACTS_OPAQUE_H

#include "ir/ir.h"

/* The instruction is an intrinsic, not inline assembler. */
bool opaque_is_intrinsic(const struct ir_program *p, const struct ir_insn *in);
/* The instruction may read or write memory. Intrinsics access memory only through operands that are
 * pointers. Of inline assembler it is shown from the template: registers and immediate values are
 * its only operands, and none of its instructions has an operand in memory that is not written. */
bool opaque_accesses_memory(
	const struct ir_program *p, const struct ir_func *f, const struct ir_insn *in);

#endif
