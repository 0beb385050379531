/*
 * How a function is called natively. The IR splits arguments and results into scalars and has no
 * conventions of its own; a linker, a library or a debugger sees what this text says. It is a
 * declaration in LLVM's syntax, without names of types, of a function '_':
 *
 *     i32 @_(ptr, i8 signext, <2 x float>, ptr byval([24 x i8]) align 8, ...)
 *
 * Its scalars in order are the parameters and results of the IR. A call of a variadic function may
 * add the attributes of its variable arguments, as the parameters of a second declaration:
 *
 *     i32 @_(ptr, ...); void @_(i32, ptr byval([32 x i8]) align 16)
 *
 * The plain signature follows from the IR: each parameter is one scalar, several results are a
 * struct of them, a byval object is aligned to 8. Only other ones are stored (ir_func.abi,
 * ir_note.abi).
 */
#ifndef HEDDLE_IR_ABI_H
#define HEDDLE_IR_ABI_H

#include "base/strbuf.h"
#include "ir/ir.h"

/* The name of the type in LLVM. */
void ir_abi_type(struct strbuf *out, ir_type t);
/* Appends the signature of a function: the stored one, or the plain one. */
void ir_abi_func(struct strbuf *out, const struct ir_program *p, const struct ir_func *f);
/* Appends the signature of the call: the stored one, else that of the function that it calls
 * directly, else the plain one of its arguments and results. */
void ir_abi_call(
	struct strbuf *out, const struct ir_program *p, const struct ir_func *f, uint32_t insn);
/* The same for a call that has no note yet: what a note need not say. */
void ir_abi_call_default(struct strbuf *out, const struct ir_program *p, const struct ir_func *f,
	const struct ir_insn *in);

#endif
